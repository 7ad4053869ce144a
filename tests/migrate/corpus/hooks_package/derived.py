from hooks_package import base
from hooks_package.base import Base as Parent


class Derived(Parent):
    def end(self, session):
        pass


class Further(base.Base):
    pass


class Unrelated(dict):
    def end(self):
        pass
