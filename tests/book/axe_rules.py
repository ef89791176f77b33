"""What axe-core says of a page: the rules, what is measured once for all that looks alike."""

from axe_playwright_python.sync_playwright import Axe

AXE = Axe().axe_script
AXE_OPTIONS = {"resultTypes": ["violations"], "preload": False}
COLOR_RULES = ("color-contrast", "link-in-text-block")
ONLY_COLORS = {"runOnly": {"type": "rule", "values": COLOR_RULES}}
NO_COLORS = {"rules": {rule: {"enabled": False} for rule in COLOR_RULES}}

# Frames that are hidden axe-core passes over, but not before it has walked through all of them.
ONE_WORD_OF_A_KIND = """() => {
  for (const frame of document.querySelectorAll('.mb-frames > [hidden]')) frame.replaceChildren();
  const kinds = new Set();
  for (const word of document.querySelectorAll('.highlight pre span:not(.code-line)')) {
    const place = word.closest('[class*=highlight-]').className;
    const kind = `${word.className} in ${place} ${word.closest('.cell_output') ? 'output' : ''}`;
    if (word.children.length === 0 && kinds.has(kind)) word.replaceWith(word.textContent);
    kinds.add(kind);
  }
  for (const line of document.querySelectorAll('.highlight pre .code-line'))
    if (line.children.length === 0) line.replaceWith(line.textContent);
}"""
# Alike are texts of the same color, size, weight and line, in elements of the same classes on the
# same grounds, all the way up.
NAME_WHAT_IS_ALIKE = """() => {
  const surroundings = new Map(), kinds = new Set(), first = new Set();
  for (const element of document.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    const place = [
      surroundings.get(element.parentElement), element.tagName, element.getAttribute('class'),
      style.backgroundColor, style.backgroundImage, style.opacity,
    ].join();
    surroundings.set(element, place);
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const isField = element.matches('input, select, textarea');  // its text is in no node
    if (!isField && !texts.some((text) => text.data.trim())) continue;
    const kind = [
      place, style.color, style.fontSize, style.fontWeight, style.textDecorationLine,
      style.textShadow, style.visibility, style.display,
    ].join();
    if (isField || !kinds.has(kind)) first.add(element);
    kinds.add(kind);
  }
  for (const element of document.querySelectorAll('*'))
    element.toggleAttribute('data-alike', !first.has(element));
}"""
CONTRAST_OF_THE_FIRST = {"rules": [{"id": "color-contrast", "selector": ":not([data-alike])"}]}
RUN = "([rules, options]) => { axe.configure(rules); return axe.run(document, options); }"


def assert_accessible(page, where: str, **options) -> None:
    """Fail with the rules of axe-core that a page breaks, and the elements concerned."""
    page.evaluate(ONE_WORD_OF_A_KIND)
    page.evaluate(NAME_WHAT_IS_ALIKE)
    page.evaluate(AXE)
    found = page.evaluate(RUN, [CONTRAST_OF_THE_FIRST, AXE_OPTIONS | options])["violations"]
    sentences = [
        f"{where}: {rule['id']}: {rule['help']}: {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    ]
    assert not sentences, "\n".join(sentences)
