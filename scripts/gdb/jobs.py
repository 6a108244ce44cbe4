# Commands of gdb for programs with fibers, live or in a core file:
#     (gdb) source jobs.py
#     (gdb) jobs fibers    every suspended fiber with a stack: id, name, worker, and its wait
#     (gdb) jobs bt 17     its back-trace, with locals; for a live process only, because the command
#                          changes registers temporarily
#
# Needs the debug information of the library, or of one of its files that knows a SchedulerCore;
# x86-64, the library's own contexts.
import gdb

DETAIL = "jobs::v0::detail::"


def printable(name):
    """A name without control characters, cut to 100 characters."""
    text = name.string("utf-8", "backslashreplace")[:100]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def type_of(name):
    return gdb.lookup_type(DETAIL + name)


def word(address):
    return int(gdb.Value(int(address)).cast(gdb.lookup_type("unsigned long").pointer()).dereference())


def vector(value):
    first, end = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
    return [(first + i) for i in range(int(end - first))]


def array(value):
    """The places of a HeapArray."""
    return [value["first_"] + i for i in range(int(value["count_"]))]


def workers():
    only = word(gdb.parse_and_eval(f"(unsigned long)&'{DETAIL}CoreList::instance()::only'"))
    if only == 0:
        return
    cores = gdb.Value(only).cast(type_of("CoreList").pointer())["cores_"]
    for place in vector(cores):
        core = gdb.Value(word(place)).cast(type_of("SchedulerCore").pointer())
        for owner in array(core["workers_"]):
            yield gdb.Value(word(owner)).cast(type_of("Worker").pointer())  # a unique_ptr is a pointer


def pools(worker):
    """Its FiberPools: of loops, then those of other sizes."""
    yield worker["fibers_"]["loops_"]
    of_classes = worker["fibers_"]["class_pools_"]["_M_elems"]
    for i in range(of_classes.type.strip_typedefs().range()[1] + 1):
        pool = word(of_classes[i]["published"].address)
        if pool != 0:
            yield gdb.Value(pool).cast(type_of("FiberPool").pointer()).dereference()


def fibers():
    """(worker, fiber) for each that waits."""
    for worker in workers():
        for pool in pools(worker):
            fiber = pool["first_made_"]
            while int(fiber) != 0:
                if fiber["suspended"]:
                    yield worker, fiber
                fiber = fiber["next_made_"]


def id_of(fiber):
    return word(fiber["id"].address)


class Jobs(gdb.Command):
    """jobs fibers: lists the fibers that wait. jobs bt ID: the back-trace of one of them."""

    def __init__(self):
        super().__init__("jobs", gdb.COMMAND_STACK)

    def invoke(self, arguments, from_tty):
        words = gdb.string_to_argv(arguments)
        if words == ["fibers"]:
            self.list()
        elif len(words) == 2 and words[0] == "bt" and words[1].isdigit():
            self.backtrace(int(words[1]))
        else:
            raise gdb.GdbError("jobs fibers | jobs bt ID")

    def list(self):
        count = 0
        for worker, fiber in fibers():
            count += 1
            name = f' "{printable(fiber["name"])}"' if int(fiber["name"]) != 0 else ""
            kind = str(fiber["waits_for"]["kind"]).rpartition("::k")[2]
            print(f"fiber {id_of(fiber)}{name} (worker {worker['index_']}) waits: {kind} {fiber['waits_for']['object']}")
        print(f"{count} fibers wait")

    def backtrace(self, wanted):
        for _, fiber in fibers():
            if id_of(fiber) == wanted:
                break
        else:
            raise gdb.GdbError(f"no fiber {wanted} waits")
        context = int(fiber["context_"])  # jobs/fiber/context_x86_64.hpp has the layout
        there = {"rsp": context + 152, "rbx": word(context + 8), "rbp": word(context + 16), "rip": word(context)}
        gdb.execute("frame 0", to_string=True)
        here = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in there}
        try:
            for name, value in there.items():
                gdb.execute(f"set ${name} = {value}", to_string=True)
            gdb.execute("bt")
        finally:
            gdb.execute("frame 0", to_string=True)
            for name, value in here.items():
                gdb.execute(f"set ${name} = {value}", to_string=True)


Jobs()
