"""What a surface to crawl on does to a body: dry friction, ideal wheels, compliant contact.

A ground is a load on one section, per metre, in the section's own frame: the contract of `hydro`. It goes where a
fluid goes, in both engines, alone or in `hydro.Together`.
"""

from .friction import Friction as Friction
