"""Join printed documents into one file: pages, links between them, the outline, and all tags.

Chromium writes for each document a tree of tags: what is a heading, a table, a figure and its text.
A page has a number under which its tags are found, and a heading of a table has a name; both are
made unique here, and the trees become branches of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import unquote

from print_documents import ELSEWHERE
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DictionaryObject,
    Fit,
    IndirectObject,
    NameObject,
    NumberObject,
    TextStringObject,
)


def places(content: bytes) -> tuple[dict[str, int], int]:
    """Say on which page of a document each named place stands, from 0, and how many it has."""
    reader = PdfReader(BytesIO(content))
    found = {
        name.removeprefix("/"): reader.get_destination_page_number(place) or 0
        for name, place in reader.named_destinations.items()
    }
    return found, len(reader.pages)


def joined(parts: dict[str, list[bytes]], title: str, headings: list[str]) -> bytes:
    """Join documents that stand under the captions of parts; below no caption they stand alone."""
    joint = Joint(title, headings)
    for caption, documents in parts.items():
        for content in documents:
            joint.add(PdfReader(BytesIO(content)), caption)
    return joint.written()


def resolved(value: Any) -> DictionaryObject:
    """Follow a reference to a dictionary."""
    found = value.get_object()
    assert isinstance(found, DictionaryObject)
    return found


def dictionary(**entries: Any) -> DictionaryObject:
    """Make a dictionary of a PDF file."""
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in entries.items()})


class Joint:
    """A file that grows by documents."""

    def __init__(self, title: str, headings: list[str]):
        self.writer = PdfWriter()
        self.writer.add_metadata({"/Title": title})
        # Chromium loses the space at the end of a line of a heading.
        self.headings = {"".join(text.split()): text for text in headings}
        self.places = DictionaryObject()
        self.outline: dict[str, IndirectObject | None] = {"": None}
        self.branches, self.by_key, self.next_key = ArrayObject(), ArrayObject(), 0
        self.by_name: dict[str, Any] = {}
        self.trunk = dictionary(Type=NameObject("/StructElem"), S=NameObject("/Document"))
        self.trunk_reference = self._kept(self.trunk)

    def add(self, reader: PdfReader, caption: str) -> None:
        """Add a document behind the others."""
        start = len(self.writer.pages)
        for page in reader.pages:
            self._mend(self.writer.add_page(page), page.raw_get("/StructParents"))
        for name, place in reader.root_object.get("/Dests", DictionaryObject()).items():
            self.places[NameObject(name)] = place.get_object().clone(self.writer)
        if caption not in self.outline:
            self.outline[caption] = self.writer.add_outline_item(title=caption, page_number=start)
        self._copy_outline(reader, reader.outline, start, self.outline[caption])
        self._copy_tags(resolved(reader.root_object["/StructTreeRoot"]))

    def written(self) -> bytes:
        """Write the file."""
        self._share_glyphs()
        names = ArrayObject()
        for name in sorted(self.by_name):
            names.extend([TextStringObject(name), self.by_name[name]])
        tree = self._kept(
            dictionary(
                Type=NameObject("/StructTreeRoot"),
                K=self.trunk_reference,
                ParentTree=self._kept(dictionary(Nums=self.by_key)),
                RoleMap=dictionary(Em=NameObject("/Span"), Strong=NameObject("/Span")),
                ParentTreeNextKey=NumberObject(self.next_key),
                IDTree=self._kept(dictionary(Names=names)),
            )
        )
        self.trunk.update(dictionary(P=tree, K=self.branches))
        self.writer.root_object.update(
            dictionary(
                Dests=self._kept(self.places),
                Lang=TextStringObject("en"),
                MarkInfo=dictionary(Marked=BooleanObject(True)),
                PageMode=NameObject("/UseOutlines"),
                StructTreeRoot=tree,
                ViewerPreferences=dictionary(DisplayDocTitle=BooleanObject(True)),
            )
        )
        stream = BytesIO()
        self.writer.write(stream)
        return stream.getvalue()

    def _share_glyphs(self) -> None:
        """Keep each drawing of a letter once, though every document has its own: a fourth less."""
        known: dict[bytes, IndirectObject] = {}
        fonts = [each for each in self.writer._objects if isinstance(each, DictionaryObject)]
        for font in [each for each in fonts if each.get("/Subtype") == "/Type3"]:
            letters = resolved(font["/CharProcs"])
            for name, own in [(name, letters.raw_get(name)) for name in letters]:
                same = known.setdefault(own.get_object().get_data(), own)
                if same.idnum != own.idnum:
                    letters[NameObject(name)] = same
                    self.writer._objects[own.idnum - 1] = None

    def _kept(self, value: DictionaryObject) -> IndirectObject:
        return self.writer._add_object(value)

    def _mend(self, page: DictionaryObject, key: int) -> None:
        """Make links into other documents links of the file, and keys to tags unique."""
        page[NameObject("/StructParents")] = self._moved(key)
        for note in (each.get_object() for each in page.get("/Annots", ())):
            if "/StructParent" in note:
                note[NameObject("/StructParent")] = self._moved(note["/StructParent"])
            address = str(note.get("/A", {}).get("/URI", ""))
            if address.startswith(ELSEWHERE):
                del note["/A"]
                place = unquote(address.removeprefix(ELSEWHERE))
                note[NameObject("/Dest")] = NameObject(f"/{place}")

    def _moved(self, key: int) -> NumberObject:
        return NumberObject(self.next_key + key)

    def _copy_outline(
        self, reader: PdfReader, entries: list, start: int, above: IndirectObject | None
    ) -> None:
        """Copy the outline of a document; a list holds what stands below the entry before it."""
        entry = above
        for each in entries:
            if isinstance(each, list):
                self._copy_outline(reader, each, start, entry)
                continue
            entry = self.writer.add_outline_item(
                title=self.headings.get("".join(each.title.split()), str(each.title)),
                page_number=(reader.get_destination_page_number(each) or 0) + start,
                parent=above,
                fit=Fit.xyz(left=each.left, top=each.top),
                is_open=False,
            )

    def _copy_tags(self, tree: DictionaryObject) -> None:
        """Make the tags of a document a branch of the tree."""
        top = resolved(tree["/K"])
        del top["/P"]  # or all of the old tree would come along
        branch = resolved(top.clone(self.writer))
        branch.update(dictionary(S=NameObject("/Part"), P=self.trunk_reference))
        for element in elements(branch):
            self._make_names_unique(element, f"{len(self.branches)}-")
        self.branches.append(branch.indirect_reference)
        for key, value in pairs(resolved(tree["/ParentTree"])):
            self.by_key.extend([self._moved(key), value.clone(self.writer)])
        self.next_key += int(tree.raw_get("/ParentTreeNextKey"))

    def _make_names_unique(self, element: DictionaryObject, before: str) -> None:
        if "/ID" in element:
            element[NameObject("/ID")] = TextStringObject(before + str(element["/ID"]))
            self.by_name[str(element["/ID"])] = element.indirect_reference
        attributes = element.get("/A", ArrayObject()).get_object()
        for attribute in attributes if isinstance(attributes, ArrayObject) else [attributes]:
            if "/Headers" in attribute.get_object():
                names = [TextStringObject(before + str(name)) for name in attribute["/Headers"]]
                attribute[NameObject("/Headers")] = ArrayObject(names)


def elements(top: DictionaryObject) -> Iterator[DictionaryObject]:
    """List the elements of a tree of tags."""
    waiting = [top]
    while waiting:
        element = waiting.pop()
        yield element
        below = element.get("/K", ArrayObject()).get_object()
        below = below if isinstance(below, ArrayObject) else [below]
        found = (each.get_object() for each in below)
        waiting += [each for each in found if isinstance(each, DictionaryObject) and "/S" in each]


def pairs(tree: DictionaryObject) -> Iterator[tuple[int, Any]]:
    """List what a tree of numbers holds."""
    numbers = tree.get("/Nums", ArrayObject())
    yield from zip(numbers[::2], numbers[1::2])
    for below in tree.get("/Kids", ArrayObject()):
        yield from pairs(resolved(below))
