"""Published swimmers as data, swum in Lighthill's water with one set of coefficients."""

from .swim import RULES as RULES, Swum as Swum, swim as swim
from .swimmer import Figure as Figure, Swimmer as Swimmer
from .table import SWIMMERS as SWIMMERS, lamprey_trend as lamprey_trend, notes as notes, swum as swum, table as table
