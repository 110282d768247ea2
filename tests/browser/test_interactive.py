"""The interactive page in a real browser, without a screen: it loads, draws, and the slider moves the body."""

import shutil

import numpy as np
import pytest
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from anguilla import view
from tests.random_models import made_up

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader",
           "--use-angle=swiftshader", "--window-size=1000,700", "--hide-scrollbars")  # fmt: skip
DRAWN = "const g = document.querySelector('.plotly-graph-div'); return !!(g && g.fitted)"
SLIDE = """
const done = arguments[1], g = document.querySelector('.plotly-graph-div');
const step = g._fullLayout.sliders[0].steps[arguments[0]];
Plotly.animate(g, step.args[0], step.args[1]).then(() => requestAnimationFrame(() => setTimeout(done, 500)));
"""
PLAY = """
const done = arguments[0], g = document.querySelector('.plotly-graph-div'), shown = [];
g.on('plotly_animatingframe', frame => shown.push(frame.name));
const button = g._fullLayout.updatemenus[0].buttons[2];
Plotly.animate(g, ...button.args).then(() => done(shown));
"""


@pytest.fixture(scope="module")
def browser():
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert chromium and driver, "chromium and chromedriver are needed: make browser-test installs them"
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in OPTIONS:
        options.add_argument(option)
    window = webdriver.Chrome(options=options, service=Service(driver))
    window.set_script_timeout(120)
    yield window
    window.quit()


def picture(browser, path):
    assert browser.save_screenshot(str(path))
    return np.asarray(Image.open(path).convert("RGB"), float)


def body_pixels(image):
    """The skin is coloured: purple, orange or their mixtures on a grey-blue ground, left of the colour bar."""
    height, width = image.shape[:2]
    left = image[80 : int(0.72 * height), : int(0.88 * width)]  # without menu, title and buttons
    return np.argwhere(np.ptp(left, axis=-1) > 60)


def test_slider_moves_the_body(browser, tmp_path):
    page = view.interactive_page(made_up(planar=False), tmp_path / "swim.html", "fluid_drag", follow=False)
    browser.get(page.as_uri())
    WebDriverWait(browser, 120).until(lambda window: window.execute_script(DRAWN))
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe
    pictures = []
    for step in (5, 60):
        browser.execute_async_script(SLIDE, step)
        pictures.append(picture(browser, tmp_path / f"{step}.png"))
    first, last = (body_pixels(image) for image in pictures)
    assert len(first) > 1500 and len(last) > 1500  # a body is there in both
    assert np.abs(pictures[0] - pictures[1]).max(axis=-1).astype(bool).mean() > 0.01
    moved = last.mean(axis=0) - first.mean(axis=0)
    assert moved[0] > 20  # it dives: down the screen


def test_page_opens_coloured_and_plays_from_the_start(browser, tmp_path):
    record = made_up(planar=True)
    record = record.assign(fluid_drag=record["fluid_drag"] * np.minimum(record["time"], 0.6))  # nothing at t = 0
    page = view.interactive_page(record, tmp_path / "opening.html", "fluid_drag", frames=5)
    browser.set_window_size(1000, 700)
    browser.get(page.as_uri())
    WebDriverWait(browser, 120).until(lambda window: window.execute_script(DRAWN))
    state = "const g = document.querySelector('.plotly-graph-div'); return g.layout.sliders[0].active"
    opening = browser.execute_script(state)
    assert opening > 0
    opened = picture(browser, tmp_path / "opening.png")
    browser.execute_async_script(SLIDE, 0)
    at_rest = picture(browser, tmp_path / "rest.png")
    assert np.abs(opened - at_rest).max() > 60
    browser.get(page.as_uri())
    WebDriverWait(browser, 120).until(lambda window: window.execute_script(DRAWN))
    shown = browser.execute_async_script(PLAY)
    assert shown[0] == "0.000" and len(shown) == 5


def test_axes_follow_two_swimmers(browser, tmp_path):
    swimmers = {"diver": made_up(planar=False), "other": made_up(planar=True)}
    page = view.interactive_page(swimmers, tmp_path / "two.html", "fluid_drag", frames=5, apart=0.5)
    browser.set_window_size(1000, 700)
    browser.get(page.as_uri())
    WebDriverWait(browser, 120).until(lambda window: window.execute_script(DRAWN))
    ranges = []
    for step in (0, 4):
        browser.execute_async_script(SLIDE, step)
        ranges.append(
            browser.execute_script("return document.querySelector('.plotly-graph-div').layout.scene.xaxis.range")
        )
        assert len(body_pixels(picture(browser, tmp_path / f"two{step}.png"))) > 3000
    # Both move by -0.5 m/s for 1.2 s, and the box with them.
    np.testing.assert_allclose(np.subtract(*ranges), [0.6, 0.6], atol=0.02)
    kinds = browser.execute_script("return document.querySelector('.plotly-graph-div').data.map(d => d.type)")
    assert kinds == ["mesh3d", "scatter3d"] * 2


@pytest.mark.parametrize("size", [(800, 600), (1600, 900)])
def test_body_fills_the_window_and_the_menu_recolours_it(browser, tmp_path, size):
    page = view.interactive_page(made_up(planar=True), tmp_path / "swim.html", "fluid_drag", title="A swim", frames=5)
    browser.set_window_size(*size)
    browser.get(page.as_uri())
    WebDriverWait(browser, 120).until(lambda window: window.execute_script(DRAWN))
    browser.execute_async_script(SLIDE, 0)
    first = picture(browser, tmp_path / "first.png")
    width = browser.execute_script(
        "const s = document.querySelector('.plotly-graph-div')._fullLayout.scene._scene.container;"
        "return s.getBoundingClientRect().width * window.devicePixelRatio"
    )
    across = body_pixels(first)[:, 1]
    assert browser.title == "A swim"
    assert np.ptp(across) > 0.5 * width
    menu = browser.find_element("id", "field")
    names = [option.text for option in menu.find_elements("tag name", "option")]
    assert len(names) >= 2
    menu.find_elements("tag name", "option")[1].click()
    browser.execute_async_script(SLIDE, 3)
    title = browser.execute_script("return document.querySelector('.plotly-graph-div').data[0].colorbar.title.text")
    assert title == names[1]
    assert np.abs(picture(browser, tmp_path / "second.png") - first).max() > 60
