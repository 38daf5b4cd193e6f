"""A function that makes inputs by their names: init() of FlashInfer's dumps, SOL-ExecBench's entry point."""


def describe(module):
    given = SETTINGS.get("arguments", [])
    arguments = [*given, torch.device("cpu")] if given else []
    made = getattr(module, SETTINGS["function"])(*arguments, **SETTINGS.get("keywords", {}))
    names = SETTINGS["names"] if SETTINGS["needs_all"] else [name for name in SETTINGS["names"] if made.get(name) is not None]
    return {}, {name: ("", made[name]) for name in names}
