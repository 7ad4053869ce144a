from ..common import *
from ..derived import Derived
