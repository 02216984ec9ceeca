"""The table of states. A row is a function that makes the machine, and what it claims."""
from .rules import OF_EACH_STATE, OF_ANY_MACHINE, named, says, where_all_is_not_warm_each_verb_names_a_command as names_a_command

STATES = {}  # by name, in the order of the files


class Row:
    def __init__(self, make, claims, person, but):
        self.make, self.claims, self.person, self.but = make, claims, person, but

    def faults(self, answers):
        """What the rules find in the answers of this machine."""
        for one in (*OF_ANY_MACHINE, *OF_EACH_STATE, *self.claims):
            if one not in self.but:
                yield from named(one, one(answers))


def state(*claims, person=None, but=()):
    """`person`: only a person can mend it, and check and doctor say these words; without it, the verbs' own commands do. `but`: rules that do not hold."""
    def row(make):
        name = make.__name__.replace("_", "-")
        assert name not in STATES, name
        mend = () if person is None else (says(person, "check", "doctor"),)
        STATES[name] = Row(make, (*claims, *mend), person, (*but, *(names_a_command for _ in mend)))
        return make
    return row
