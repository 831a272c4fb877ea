# SPDX-License-Identifier: MIT
"""Makes Markdown pages of the XML that Doxygen has written for the headers.

usage: reference.py ROOT XML (prints what Doxygen does not report: values of an
enumeration without a comment, if the enumeration has none either; parameters in
the comment of a group of C++ members that none of the members has)

A page for each header: its sections, symbols in the order of the header, and
links from each name of a symbol to its place. In a header for C++, members that
share a comment share a place.
"""
import collections
import html
import pathlib
import posixpath
import re
import sys
import xml.etree.ElementTree as ElementTree

NAME = re.compile(r"\b(?:mcp|MCP)_\w+(?:\.\w+)?|\bmcp(?:::\w+)+|"
                  r"\bmcp/[\w/]+\.h(?:pp)?\b|\bdocs/\w+\.md\b")
SECTION = re.compile(r"^/\* -{2,} (.*?) -{2,} \*/$")
PART = re.compile(r"^ +/\* -- (.*? -- \*/)?")  # of a class
SIGNS = {"ndash": "--", "mdash": "---", "lsquo": "'", "rsquo": "'",
         "ldquo": '"', "rdquo": '"', "nonbreakablespace": " "}
Item = collections.namedtuple("Item", "line text")


def escape(text):
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", text)


def anchor(name):
    """The name as an id, without the signs of operators."""
    return re.sub(r"[^\w.:~]", lambda sign: f"-{ord(sign[0]):x}", name)


class Symbols:
    """Where each symbol, header and page is: its page and its anchor."""

    def __init__(self):
        self.places = {}

    def add(self, name, page):
        self.places.setdefault(name, f"{page}#{anchor(name)}")

    def add_page(self, name, page):
        self.places[name] = f"{page}#"

    def names(self):
        """Those of symbols, without members."""
        return sorted(name for name in self.places
                      if not re.search(r"[./]|::.*::", name))

    def find(self, name):
        """The longest known name that the text is, or begins with."""
        while name not in self.places:
            shorter = re.sub(r"(\.|::)\w+$", "", name)
            if shorter == name:
                return None
            name = shorter
        return name

    def link(self, name, label, page):
        """A link from a page, or only the label if there is no such symbol."""
        known = self.find(name)
        if known is None:
            return label
        file, place = self.places[known].split("#")
        if file == page and not place:
            return label
        where = posixpath.relpath(file, posixpath.dirname(page) or ".")
        place = f"#{place}" if place else ""
        return f"[{label}]({'' if file == page else where}{place})"

    def in_text(self, text, page, own=None):
        """Escapes a text, and links each name but `own`."""
        out, end = [], 0
        for match in NAME.finditer(text):
            out.append(escape(text[end:match.start()]))
            label = escape(match[0])
            out.append(label if match[0] == own else
                       self.link(match[0], label, page))
            end = match.end()
        out.append(escape(text[end:]))
        return "".join(out)


class Writer:
    """Writes a description of Doxygen as Markdown."""

    def __init__(self, symbols, page, own=None):
        self.symbols, self.page, self.own = symbols, page, own
        self.language = "cpp" if page.endswith(".hpp.md") else "c"

    def inline(self, node):
        out = [self.symbols.in_text(node.text or "", self.page, self.own)]
        for child in node:
            out.append(self.inline_child(child))
            out.append(self.symbols.in_text(child.tail or "", self.page,
                                            self.own))
        return "".join(out)

    def inline_child(self, child):
        tag = child.tag
        if tag in SIGNS:
            return SIGNS[tag]
        if tag == "computeroutput":
            text = "".join(child.itertext())
            return self.symbols.link(text, f"`{text}`", self.page)
        if tag == "emphasis":
            return f"*{self.inline(child)}*"
        if tag == "bold":
            return f"**{self.inline(child)}**"
        if tag == "ulink":
            return f"[{self.inline(child)}]({child.get('url')})"
        if tag == "linebreak":
            return "\n"
        return self.inline(child)

    BLOCKS = ("itemizedlist", "orderedlist", "parameterlist", "simplesect",
              "verbatim", "programlisting", "hruler", "sect2", "sect1", "title")

    def para(self, node, indent):
        """The lines of a paragraph, which may hold lists and code."""
        lines, text = [], self.symbols.in_text(node.text or "", self.page,
                                               self.own)

        def flush():
            nonlocal text
            # A line that begins like a list or a heading is neither.
            words = re.sub(r"\s+", " ", text).strip()
            words = re.sub(r"^(\d+)\. ", r"\1\\. ", words)
            words = re.sub(r"^([-+]) ", r"\\\1 ", words)
            if words:
                lines.extend([indent + words, ""])
            text = ""

        for child in node:
            if child.tag in self.BLOCKS:
                flush()
                lines.extend(self.block(child, indent))
            else:
                text += self.inline_child(child)
            text += self.symbols.in_text(child.tail or "", self.page, self.own)
        flush()
        return lines

    def block(self, node, indent):
        tag = node.tag
        if tag in ("itemizedlist", "orderedlist"):
            return self.items(node, indent, "1." if tag[0] == "o" else "-")
        if tag == "parameterlist":
            return self.parameters(node, indent)
        if tag == "simplesect":
            word = "Returns" if node.get("kind") == "return" else "Note"
            return self.labelled(f"**{word}**", node, indent)
        if tag in ("verbatim", "programlisting"):
            code = "".join(node.itertext()).strip("\n")
            return ["", f"{indent}```{self.language}",
                    *(indent + line for line in code.split("\n")),
                    f"{indent}```", ""]
        if tag in ("sect1", "sect2"):
            return self.description(node, indent)
        return []

    def labelled(self, label, node, indent):
        """`label text`, and what follows the first paragraph below it."""
        inner = self.description(node, "")
        if not inner:
            return []
        if inner[0].startswith("\\- "):  # Doxygen takes it for a paragraph
            inner[0] = "-   " + inner[0][3:]
        if inner[0][:2] in ("- ", "1.") or inner[0].startswith("```"):
            inner[:0] = ["", ""]
        return [f"{indent}{label}: {inner[0]}".rstrip(),
                *(indent + line if line else "" for line in inner[1:]), ""]

    def items(self, node, indent, mark):
        lines = []
        for item in node.findall("listitem"):
            inner = self.description(item, "    ")
            if inner:
                lines.append(f"{indent}{mark:4}{inner[0].strip()}")
                lines.extend(indent + line if line else ""
                             for line in inner[1:])
        return ["", *lines, ""]

    def parameters(self, node, indent):
        word = "Throws" if node.get("kind") == "exception" else "Parameters"
        lines = ["", f"{indent}**{word}**:", ""]
        for item in node.findall("parameteritem"):
            names = ", ".join(f"`{name.text}`"
                              for name in item.iter("parametername"))
            inner = self.description(item.find("parameterdescription"), "    ")
            first = inner[0].strip() if inner else ""
            if word == "Throws":
                names = self.symbols.link(names.strip("`"), names, self.page)
            lines.append(f"{indent}-   {names}: {first}")
            lines.extend(indent + line if line else "" for line in inner[1:])
        return [*lines, ""]

    def description(self, node, indent):
        lines = []
        for child in node if node is not None else []:
            if child.tag == "para":
                lines.extend(self.para(child, indent))
            else:
                lines.extend(self.block(child, indent))
        while lines and not lines[0]:
            lines.pop(0)
        return lines

    def of(self, member):
        text = [*self.description(member.find("briefdescription"), ""),
                *self.description(member.find("detaileddescription"), "")]
        return "\n".join(text).strip()


def plain(node):
    return html.unescape("".join(node.itertext())) if node is not None else ""


def signature(member):
    kind, name = member.get("kind"), member.find("name").text
    if kind == "define":
        params = [plain(p).strip() for p in member.findall("param")]
        return f"#define {name}{'(' + ', '.join(params) + ')' if params else ''}"
    if kind == "typedef":
        definition = plain(member.find("definition"))
        return wrap(re.sub(r"\( ?\* ?", " (*", definition)
                    .replace(") (", ")(") + ";")
    whole = f"{plain(member.find('type'))} {name}".replace("* ", "*")
    arguments = [re.sub(r"\* ", "*", plain(p.find("type")) + " " +
                        plain(p.find("declname")) + plain(p.find("array")))
                 if p.find("declname") is not None else plain(p.find("type"))
                 for p in member.findall("param")]
    text = f"{whole}({', '.join(arguments) or 'void'});"
    if plain(member.find("argsstring")).startswith("("):
        text = f"{whole}{plain(member.find('argsstring'))};"
    return wrap(text)


def wrap(text):
    """Breaks a long declaration at its commas."""
    if len(text) <= 80 or "(" not in text:
        return text
    head, rest = text.split("(", 1)
    lines, line = [], head + "("
    for part in re.split(r"(?<=, )", rest):
        if len(line) + len(part.rstrip()) > 80:
            lines.append(line.rstrip())
            line = "    "
        line += part
    return "\n".join([*lines, line])


def full_names(names):
    """Names for the search, which knows a section by its own text only. Pages do
    not show them."""
    return f'<p class="full-name">{", ".join(names)}</p>\n\n'


def heading(level, name, label=None):
    return f"{'#' * level} {escape(label or name)} {{ #{name} }}\n\n"


def member_declaration(member):
    """The declaration of a member of a structure, as in C."""
    name = member.find("name").text
    kind = plain(member.find("type"))
    arguments = plain(member.find("argsstring"))
    if kind.endswith("(*"):
        return f"{kind}{name}{arguments};"
    return re.sub(r"\* ", "*", f"{kind} {name}{arguments};")


class Header:
    """A header for C."""
    language = "c"

    def __init__(self, root, xml, compound, symbols):
        self.symbols = symbols
        self.path = compound.find("location").get("file")
        self.page = f"reference/{self.path.removeprefix('mcp/')}.md"
        self.source = (root / "include" / self.path).read_text(encoding="utf-8")
        self.compound = compound
        self.members = [member for part in compound.findall("sectiondef")
                        for member in part.findall("memberdef")]
        self.structures = [
            ElementTree.parse(xml / f"{inner.get('refid')}.xml").getroot()[0]
            for inner in compound.findall("innerclass")]

    def collect(self):
        self.symbols.add_page(self.path, self.page)
        for member in self.members:
            if member.get("kind") == "enum":
                for value in member.findall("enumvalue"):
                    self.symbols.add(value.find("name").text, self.page)
            else:
                self.symbols.add(member.find("name").text, self.page)
        for structure in self.structures:
            name = structure.find("compoundname").text
            self.symbols.places.pop(name, None)
            self.symbols.add(name, self.page)
            for member in structure.iter("memberdef"):
                self.symbols.add(f"{name}.{member.find('name').text}", self.page)

    # --- what a page has

    def enumeration(self, member):
        writer = Writer(self.symbols, self.page)
        values = member.findall("enumvalue")
        first = values[0].find("name").text
        title = member.find("name").text or "@"
        title = first if title.startswith("@") else title
        prefix = posixpath.commonprefix([v.find("name").text for v in values])
        label = (prefix[:prefix.rfind("_") + 1] + "…" if len(values) > 1
                 and prefix.count("_") > 1 else first)
        out = [f"### {escape(label)}\n\n" if title == first else
               heading(3, title), writer.of(member), "\n\n"]
        for value in values:
            name = value.find("name").text
            number = plain(value.find("initializer"))
            text = Writer(self.symbols, self.page, name).of(value)
            text = text.replace("\n", "\n    ")
            out.append(f'-   <span id="{name}"></span>`{name}'
                       f"{' ' + number if number else ''}`"
                       f"{': ' + text if text else ''}\n")
        return "".join(out) + "\n"

    def structure(self, structure):
        name = structure.find("compoundname").text
        out = [heading(3, name), Writer(self.symbols, self.page, name)
               .of(structure), "\n\n"]
        for member in structure.iter("memberdef"):
            own = f"{name}.{member.find('name').text}"
            text = Writer(self.symbols, self.page, own).of(member)
            out.append(f'#### <code>{html.escape(member_declaration(member))}'
                       f"</code> {{ #{own} }}\n\n{full_names([own])}"
                       f"{text}\n\n")
        return "".join(out)

    def symbol(self, member):
        name = member.find("name").text
        text = Writer(self.symbols, self.page, name).of(member)
        return (f"{heading(3, name)}```c\n{signature(member)}\n```\n\n"
                f"{text}\n\n")

    def has_structure(self, name):
        return any(structure.find("compoundname").text == name
                   for structure in self.structures)

    def items(self):
        for member in self.members:
            line = int(member.find("location").get("line"))
            if member.get("kind") == "enum":
                yield Item(line, self.enumeration(member))
            elif not self.has_structure(member.find("name").text):
                yield Item(line, self.symbol(member))
        for structure in self.structures:
            yield Item(int(structure.find("location").get("line")),
                       self.structure(structure))
        yield from self.comments()

    def comments(self):
        """The sections, and the comments that are about several symbols."""
        number, lines = 0, self.source.split("\n")
        while number < len(lines):
            section = SECTION.match(lines[number])
            if section:
                title = section[1][0].upper() + section[1][1:]
                yield Item(number + 1, f"## {escape(title)}\n\n")
            elif re.match(r"/\*(?!\*)(?! SPDX)", lines[number]):
                begin = number
                while "*/" not in lines[number]:
                    number += 1
                yield Item(begin + 1, self.comment(lines[begin:number + 1]))
            number += 1

    def comment(self, lines):
        text = "\n".join(re.sub(r"^ ?(/\*|\*/|\*)? ?|\s*\*/$", "", line)
                         for line in lines).strip("\n")
        out, is_code = [], False
        for line in text.split("\n"):
            starts = line.startswith("    ")
            if starts != is_code and (starts or line.strip()):
                out.append("```c" if starts else "```")
                out.append("")
                if starts:
                    out.pop()
                is_code = starts
            if is_code:
                out.append(line[4:])
            else:
                mark = re.match(r"- ", line)
                if mark and out and out[-1] and not out[-1].startswith(("-", " ")):
                    out.append("")
                body = self.marked(line[2:] if mark else line)
                out.append(("-   " if mark else
                            "    " if line.startswith("  ") else "") + body)
        if is_code:
            out.append("```")
        return "\n".join(out) + "\n\n"

    def marked(self, line):
        """Links the names of a line that may have code in backquotes."""
        parts = re.split(r"(`[^`]*`)", line.strip())
        return "".join(part if part.startswith("`") else
                       self.symbols.in_text(part, self.page) for part in parts)

    def text(self):
        about = Writer(self.symbols, self.page).of(self.compound)
        out = [f"# {self.path}\n\n", about, "\n\n"]
        out.extend(item.text for item in sorted(self.items(),
                                                key=lambda item: item.line))
        return "".join(out)


# --- headers for C++

def cpp_declaration(member):
    """The declaration of a member of a class, without its body."""
    name, kind = member.find("name").text, member.get("kind")
    type_ = re.sub(r" ([*&]+)$", r" \1", plain(member.find("type")))
    if kind == "typedef":
        return f"using {name} = {type_};"
    params = [f"{plain(p.find('type'))} {plain(p.find('declname'))}".strip()
              for p in member.findall("templateparamlist/param")]
    template = f"template <{', '.join(params)}>\n" if params else ""
    words = [word for word in ("static", "explicit") if
             member.get(word) == "yes" and not type_.startswith(word)]
    words += [type_.removeprefix("friend ")] if type_ else []
    text = " ".join([*words, name])
    text = re.sub(r"([*&]) (?=\S+$)", r"\1", text)
    arguments = re.sub(r"(?<=[\w)])=(?=\S)", " = ",
                       plain(member.find("argsstring")))
    value = plain(member.find("initializer"))
    text = f"{text}{arguments}{' ' + value if value else ''};"
    return template + wrap(text.replace("< ", "<").replace(" >", ">"))


class Place(collections.namedtuple("Place", "line members")):
    """What one comment is about: members of a class."""

    def names(self):
        return list(dict.fromkeys(m.find("name").text for m in self.members))


class CppHeader(Header):
    """A header for C++: classes, in the order of the header."""
    language = "cpp"

    def places(self, structure):
        out = []
        for part in structure.findall("sectiondef"):
            members = [member for member in part.findall("memberdef")
                       if member.get("prot") == "public"]
            is_group = part.get("kind") == "user-defined"
            for shared in [members] if is_group else [[m] for m in members]:
                if shared:
                    line = int(shared[0].find("location").get("line"))
                    out.append(Place(line, shared))
        return sorted(out, key=lambda place: place.line)

    def classes(self):
        for structure in self.structures:
            if structure.get("prot") != "private":
                yield structure

    def collect(self):
        self.symbols.add_page(self.path, self.page)
        for structure in self.classes():
            name = structure.find("compoundname").text
            self.symbols.add(name, self.page)
            for place in self.places(structure):
                for member in place.names():
                    self.symbols.add(f"{name}::{member}", self.page)

    def place(self, owner, place, seen):
        """Members with one comment, and the anchors that are theirs."""
        own = owner.rsplit("::", 1)[-1]
        label = ", ".join({own: "constructor", f"~{own}": "destructor"}
                          .get(name, name) for name in place.names())
        ids = [anchor(f"{owner}::{name}") for name in place.names()
               if name not in seen]
        seen.update(place.names())
        mark = f" {{ #{ids[0]} }}" if ids else ""
        more = "".join(f'<span id="{one}"></span>' for one in ids[1:])
        text = Writer(self.symbols, self.page, owner).of(place.members[0])
        code = "\n".join(cpp_declaration(member) for member in place.members)
        names = full_names(f"{owner}::{name}" for name in place.names())
        return "\n\n".join(part for part in (
            f"### {escape(label)}{mark}", more, names.strip(), f"```cpp\n{code}\n```", text, "")
            if part) + "\n\n"

    def bases(self, structure):
        """Public bases, whose members the class has too."""
        known = []
        for base in structure.findall("basecompoundref"):
            name = re.sub(r"<.*", "", plain(base)).strip()
            if self.symbols.find(name) == name:
                known.append(self.symbols.link(name, f"`{name}`", self.page))
        if not known:
            return ""
        return f"It also has the members of {' and '.join(known)}.\n\n"

    def items(self):
        """The classes, each with its members: those of a class inside it come
        after its own."""
        parts = list(self.comments())
        bodies = [self.body(structure) for structure in self.classes()]
        for structure, body in zip(self.classes(), bodies):
            inner = [one for one in bodies if one[0] in body and one != body]
            own = [part for part in parts if part.line in body and
                   not any(part.line in one for one in inner)]
            name, seen = structure.find("compoundname").text, set()
            own += [Item(place.line, self.place(name, place, seen))
                    for place in self.places(structure)]
            text = Writer(self.symbols, self.page, name).of(structure)
            yield Item(body[0], "".join((
                f"{heading(2, name)}{text}\n\n{self.bases(structure)}",
                *(item.text for item in sorted(own, key=lambda item: item.line)))))

    @staticmethod
    def body(structure):
        """The lines of a class."""
        place = structure.find("location")
        return range(int(place.get("line")), int(place.get("bodyend")) + 1)

    def comments(self):
        """The parts of classes: `/* -- text -- */`. Other comments are about how
        the header works."""
        lines = self.source.split("\n")
        for number, line in enumerate(lines):
            if PART.match(line):
                end = number
                while "*/" not in lines[end]:
                    end += 1
                text = " ".join(re.sub(r"^ *(/\*|\*(?!/))|-- \*/$", "", part)
                                .strip() for part in lines[number:end + 1])
                text = text.removeprefix("-- ").strip()
                text = self.marked(text[0].upper() + text[1:])
                yield Item(number + 1, f"{text}\n{{ .part }}\n\n")

    def wrong_parameters(self):
        """Names in a comment that are no parameters of what it is about."""
        for structure in self.classes():
            for place in self.places(structure):
                known = set()
                for member in place.members:
                    known.update(plain(p).strip() for tag in ("declname", "type")
                                 for p in member.iterfind(f".//param/{tag}"))
                known = {re.sub(r"^.*\W", "", name) for name in known}
                for name in place.members[0].iterfind(
                        ".//parameterlist[@kind='param']//parametername"):
                    if name.text not in known:
                        yield (f"include/{self.path}:{place.line}: @param "
                               f"{name.text}: there is no such parameter")


def read(root, xml):
    """The headers, and the places of all symbols."""
    symbols = Symbols()
    index = ElementTree.parse(xml / "index.xml").getroot()
    headers = []
    for compound in index.findall("compound"):
        if compound.get("kind") == "file":
            tree = ElementTree.parse(xml / f"{compound.get('refid')}.xml")
            of = tree.getroot()[0]
            path = of.find("location").get("file")
            kind = CppHeader if path.endswith(".hpp") else Header
            headers.append(kind(root, xml, of, symbols))
    headers.sort(key=lambda header: header.path)
    for header in headers:
        header.collect()
    for page in (root / "docs").glob("*.md"):
        symbols.add_page(f"docs/{page.name}", f"docs/{page.name}")
    return headers, symbols


def write(root, xml, pages):
    """Writes a page for each header. Returns their paths and the symbols."""
    headers, symbols = read(pathlib.Path(root), pathlib.Path(xml))
    for header in headers:
        path = pathlib.Path(pages) / header.page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header.text(), encoding="utf-8")
    return [header.page for header in headers], symbols


def is_described(member):
    return any(plain(member.find(name)).strip()
               for name in ("briefdescription", "detaileddescription"))


def values_without_comment(headers):
    for header in headers:
        for member in header.members:
            if member.get("kind") == "enum" and not is_described(member):
                for value in member.findall("enumvalue"):
                    if not is_described(value):
                        yield (f"include/{header.path}:"
                               f"{member.find('location').get('line')}: "
                               f"{value.find('name').text} has no comment")


def main():
    root, xml = map(pathlib.Path, sys.argv[1:])
    headers = read(root, xml)[0]
    found = list(values_without_comment(headers))
    for header in headers:
        if header.language == "cpp":
            found += header.wrong_parameters()
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
