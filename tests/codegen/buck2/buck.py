"""The rules of Buck2 that packaging/buck2/kbench.bzl uses, as far as it uses them: BUCK files are run by the Starlark
interpreter that Buck2 has (starlark-rust), and the targets that they make are built by what the rules' documentation
says of their attributes."""

import os
import pathlib
import re
import subprocess
import tempfile

RULES = ("genrule", "cxx_library", "cxx_binary", "export_file")
PRELUDE = "native = struct({})\n".format(", ".join(f"{name} = {name}" for name in (*RULES, "rule_exists")))
# Attributes that the rules have; Buck2 refuses others.
ATTRIBUTES = {
    "genrule": {"name", "srcs", "out", "outs", "cmd", "labels", "visibility"},
    "cxx_library": {"name", "srcs", "headers", "exported_headers", "header_namespace", "compiler_flags", "deps",
                    "exported_deps", "link_whole", "visibility"},
    "cxx_binary": {"name", "srcs", "deps", "compiler_flags"},
    "export_file": {"name", "src"},
}


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, text=True, shell=isinstance(command, str),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, executable=None)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}"
    return done.stdout


class Package:
    """The targets of a folder with a BUCK file. `cells`: where a file that is loaded lies, by its cell."""

    def __init__(self, folder, cells, config, made):
        import starlark
        self.starlark = starlark
        self.folder, self.cells, self.config, self.made = folder, cells, config, made
        self.targets, self.built = {}, {}
        self.globals = starlark.Globals.extended_by([starlark.LibraryExtension.StructType,
                                                     starlark.LibraryExtension.Json])
        self._evaluate(self._module(), folder / "BUCK")

    def _module(self):
        module = self.starlark.Module()
        for rule in RULES:
            module.add_callable(rule, lambda rule=rule, **attributes: self._add(rule, attributes))
        module.add_callable("rule_exists", lambda name: name in self.targets)
        module.add_callable("read_config", lambda section, field, default=None: self.config.get((section, field), default))
        return module

    def _evaluate(self, module, path):
        sl = self.starlark
        sl.eval(module, sl.parse("prelude", PRELUDE), self.globals)
        sl.eval(module, sl.parse(str(path), path.read_text()), self.globals, sl.FileLoader(self._load))
        return module

    def _load(self, label):
        cell, folder, name = re.fullmatch(r"@(\w+)//([\w/]+):([\w.]+)", label).groups()
        return self._evaluate(self._module(), self.cells[cell] / folder / name).freeze()

    def _add(self, rule, attributes):
        assert set(attributes) <= ATTRIBUTES[rule], (rule, set(attributes) - ATTRIBUTES[rule])
        name = attributes["name"]
        assert name not in self.targets, f"{name} is there twice"
        self.targets[name] = (rule, attributes)

    def outputs(self, label):
        """Builds a target, ":name" or ":name[part]": the paths of its outputs."""
        name, part = re.fullmatch(r":([\w.-]+)(?:\[(.+)\])?", label).groups()
        if name not in self.built:
            rule, attributes = self.targets[name]
            self.built[name] = getattr(self, "_" + rule)(attributes)
        outputs = self.built[name]
        return [outputs[part]] if part else list(outputs.values())

    def _export_file(self, attributes):
        path = self.folder / attributes.get("src", attributes["name"])
        assert path.is_file(), path
        return {"": path}

    def _genrule(self, attributes):
        assert ("out" in attributes) != ("outs" in attributes), attributes
        place = self.made / attributes["name"]
        place.mkdir(parents=True)
        out = place / attributes["out"] if "out" in attributes else place
        with tempfile.TemporaryDirectory() as scratch:
            run(["bash", "-e", "-c", self._expanded(attributes["cmd"])], scratch, OUT=str(out), TMP=scratch)
        outs = {"": [attributes["out"]]} if "out" in attributes else attributes["outs"]
        paths = {name: place / files[0] for name, files in outs.items()}
        missing = [path for path in paths.values() if not path.is_file()]
        assert not missing, f"{attributes['name']} did not make {missing}"
        return paths

    def _expanded(self, command):
        command = re.sub(r"\$\(location ([^)]+)\)", lambda found: str(self.outputs(found[1])[0]), command)
        return re.sub(r"""\$\(query_outputs "attrfilter\(labels, '(\w+)', deps\(set\(([^)]*)\)\)\)"\)""",
                      lambda found: " ".join(self._labelled(found[1], found[2].split())), command)

    def _labelled(self, label, targets):
        """The outputs of all that has the label among targets and what these depend on."""
        seen, found = set(), []
        while targets:
            name = targets.pop(0).strip(":").split("[")[0]
            if name in seen:
                continue
            seen.add(name)
            _, attributes = self.targets[name]
            if label in attributes.get("labels", []):
                found += [str(path) for path in self.outputs(":" + name)]
            targets += attributes.get("deps", []) + attributes.get("exported_deps", [])
        return found

    def _closure(self, names):
        """The libraries among what is named and what that depends on: each once."""
        found, open_names = [], list(names)
        while open_names:
            name = open_names.pop(0)
            rule, attributes = self.targets[name.strip(":")]
            if name in found or rule != "cxx_library":
                continue  # a genrule among deps gives nothing to link
            found.append(name)
            open_names += attributes.get("deps", []) + attributes.get("exported_deps", [])
        return found

    def _sources(self, attributes):
        for source in attributes.get("srcs", []):
            yield from self.outputs(source) if source.startswith(":") else [self.folder / source]

    def _compiled(self, name, attributes):
        """The objects of a target's own sources: it sees the exported headers of what it depends on."""
        place = self.made / (name + ".objects")
        place.mkdir(parents=True, exist_ok=True)
        include = place / "include"
        libraries = self._closure(attributes.get("deps", []) + attributes.get("exported_deps", []))
        for headers in [attributes.get("exported_headers", {}),
                        *(self.targets[one.strip(":")][1].get("exported_headers", {}) for one in libraries)]:
            for header, target in headers.items():
                path = include / header
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists():
                    path.symlink_to(self.outputs(target)[0])
        objects = []
        for source in self._sources(attributes):
            objects.append(place / (source.name + ".o"))
            run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", *attributes.get("compiler_flags", []), f"-I{include}",
                 "-c", str(source), "-o", str(objects[-1])], self.folder)
        return objects

    def _cxx_library(self, attributes):
        return {path.name: path for path in self._compiled(attributes["name"], attributes)}

    def _cxx_binary(self, attributes):
        """Archives, where an object that nobody calls is lost, but for those of libraries that are linked whole."""
        name, words = attributes["name"], []
        for library in self._closure(attributes["deps"]):
            archive = self.made / f"lib{library.strip(':')}.a"
            run(["ar", "rcs", str(archive), *map(str, self.outputs(library))], self.folder)
            whole = self.targets[library.strip(":")][1].get("link_whole", False)
            words += ["-Wl,--whole-archive", str(archive), "-Wl,--no-whole-archive"] if whole else [str(archive)]
        binary = self.made / name
        run(["g++", *map(str, self._compiled(name, attributes)), "-Wl,--start-group", *words, "-Wl,--end-group", "-o",
             str(binary)], self.folder)
        return {"": binary}
