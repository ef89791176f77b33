"""The search: a question finds its chapter first, with a sentence of the page, and no more."""

import json
import re

import pytest
from axe_rules import assert_accessible
from bs4 import BeautifulSoup
from built_book import DESKTOP, PHONE

LINK = "#search-results ul.search li a"
FOLDED = "script, style, details, .headerlink, [hidden], dialog"
QUESTIONS = {  # as somebody would type them, with the number of the chapter that answers
    1: ["why a word needs its neighbors"],
    2: ["why divide by the square root", "attention by hand", "query key value"],
    3: ["padding mask", "causal mask", "mask future words"],
    4: ["gradient of the softmax", "backpropagation by hand", "gradient check", "chain rule"],
    5: ["hundred sentences", "train a toy", "residual connection"],
    6: ["word pieces", "unknown word", "tokenize a text", "learn a vocabulary"],
    7: ["segment embeddings", "why add three embeddings", "sinusoidal positions"],
    8: ["multi-head attention", "many heads", "several heads"],
    9: ["layer normalization", "feed-forward network"],
    10: ["how many parameters", "pooler output"],
    11: ["masked language model", "fill in the blank", "whole-word masking"],
    12: ["next sentence prediction", "does one sentence follow another", "pre-training"],
    13: ["learning rate warmup", "gradient clipping", "weight decay", "mixed precision"],
    14: ["small world", "enumerate the grammar"],
    15: ["load real weights", "mean pooling", "sentence vectors"],
    16: ["fine-tune a classifier", "confusion matrix", "macro F1"],
    17: ["named entities", "named entity recognition"],
    18: ["answer span", "question answering", "start and end of the answer"],
    19: ["my own data", "temperature scaling"],
    20: ["what heads do", "activation patching", "attention is not explanation"],
    21: ["linear probe", "what vectors know", "word sense"],
    22: ["contrastive loss", "hard negatives", "search by meaning"],
    23: ["8-bit weights", "faster training", "roofline"],
    24: ["several machines", "data parallel", "ring all-reduce", "ZeRO"],
    25: ["disentangled attention", "replaced token detection", "rotary position embeddings"],
    26: ["museum of bugs", "invariants of a model"],
}
TERMS = {  # of the field, with the chapter that explains each first
    1: "autoregressive, back-off, bidirectional, bigram, cosine similarity, cross-validation, "
    "distributional hypothesis, Encoder Representations, language model, log-likelihood, n-gram, "
    "negative log-likelihood, perplexity, polysemy, pseudo-likelihood, pseudo-perplexity, "
    "smoothing, surprisal",
    2: "attend to, attention weights, function word, permutation equivariant, scaled dot-product, "
    "scaled dot-product attention, self-attention",
    3: "additive mask, logits",
    4: "automatic differentiation, backpropagation, computational graph, cross-entropy, "
    "finite difference, Jacobian, vector–Jacobian product",
    5: "conditional entropy, interpolated counts, irreducible loss, overfitting, "
    "position embeddings, skip connection",
    6: "BPE, byte pair encoding, mutual information, PMI, subword, tokenizer, WordPiece",
    7: "embedding matrix, one-hot, positional encoding, relative position",
    8: "ablation, head dimension, output projection, SDPA",
    9: "activation function, Add & Norm, feed-forward, MLP, position-wise, pre-norm, "
    "residual stream",
    10: "encoder-only, hidden state, parameter count, weight initialization",
    11: "dynamic masking, masked language modeling, self-supervised, standard error",
    12: "baseline, negative examples",
    13: "bfloat16, bias correction, effective batch size, first moment, global norm, "
    "gradient accumulation, gradient norm, micro-batch",
    14: "Bayes-optimal, posterior",
    16: "calibration, confidence",
    23: "arithmetic intensity, compute-bound, CUDA graph, FlashAttention, MFU, nested tensors, "
    "quantization, roofline, TF32, torch.profiler, varlen",
    24: "column-parallel, DDP, FSDP, gradient bucket, gradient checkpointing, Megatron, NCCL, "
    "pipeline bubble, ZeRO stage",
}
# One visit: the index is made once, and all are asked.
FIRST_PAGES = """(questions) => {
  const index = makeIndex();
  makeIndex = () => index;
  return questions.map((one) => searchIndex.pages[answer(one).pages[0]?.page]?.[0] ?? 'nowhere');
}"""


@pytest.fixture(scope="module")
def search_page(browser, html):
    """Ask the search page, opened from the disk: each question is a page of its own."""
    page = browser.new_page(viewport=DESKTOP)

    def ask(question):
        page.goto(f"{(html / 'search.html').as_uri()}?q={question.replace(' ', '+')}")
        page.locator("#search-status:not(:empty)").wait_for()
        return page

    yield ask
    page.close()


@pytest.fixture(scope="module")
def index(html):
    """Read the index: pages, and sections with what they say."""
    text = (html / "_static" / "search-index.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const searchIndex = ").removesuffix(";\n"))


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def test_every_question_and_every_term_of_the_field_finds_its_chapter_first(search_page):
    asked = [(question, number) for number, several in QUESTIONS.items() for question in several]
    asked += [(term, number) for number, terms in TERMS.items() for term in terms.split(", ")]
    found = search_page("attention").evaluate(FIRST_PAGES, [one for one, _ in asked])
    lost = [
        f"{question!r} finds {page} before Chapter {number}"
        for (question, number), page in zip(asked, found, strict=True)
        if not page.startswith(f"chapters/{number:02}-")
    ]
    assert lost == []


def test_every_sentence_that_can_be_shown_is_seen_on_its_page(html, index):
    pages = [address for address, _ in index["pages"]]
    lost, count = [], 0
    for number, address in enumerate(pages):
        soup = BeautifulSoup((html / address).read_text(encoding="utf-8"), "html.parser")
        ids = {each["id"] for each in soup.select("[id]")}
        for hidden in soup.select(FOLDED):
            hidden.decompose()
        seen = plain(soup.select_one("article").get_text())
        for page, anchor, _, sentences, *_ in index["sections"]:
            if page == number:
                assert anchor in ids, f"{address} has no #{anchor}"
                count += len(sentences)
                lost += [f"{address}: {one}" for one in sentences if plain(one) not in seen]
    assert count > 5000
    assert not lost, f"{len(lost)} sentences:\n" + "\n".join(lost[:20])


def test_a_result_leads_to_where_its_sentence_stands_and_nothing_is_marked_there(reader):
    page = reader.open("search.html?q=padding+mask")
    first = page.locator("#search-results li").first
    sentence = plain(first.locator(".context").inner_text())
    assert first.locator("mark").count() >= 2
    first.locator("a").click()
    page.wait_for_url("**/chapters/*.html#*")
    section = page.url.split("#")[1]
    assert sentence in plain(page.locator(f"[id='{section}']").inner_text())
    page.wait_for_timeout(300)  # Sphinx marked words after a moment
    assert page.locator(".highlighted, :text('Hide Search Matches')").count() == 0


def test_a_slip_a_word_that_is_nowhere_and_markup_are_told_as_they_are(search_page):
    status = "#search-status"
    page = search_page("atention")
    assert "chapters/02-" in page.locator(LINK).first.get_attribute("href")
    assert page.inner_text(status).startswith("No page has “atention”; similar words in")
    page = search_page("zzyzx qqqq")
    assert page.locator(LINK).count() == 0
    assert "No page has “zzyzx qqqq”." in page.inner_text(status)
    page = search_page("<b>mask</b>")
    assert page.locator(f"{status} b").count() == 0 and "“<b>mask</b>”" in page.inner_text(status)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_results_are_accessible_and_fit(reader, viewport):
    page = reader.open("search.html?q=attention+probabilities", viewport=viewport)
    page.locator(LINK).first.wait_for()
    assert_accessible(page, "results of a search")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= viewport["width"]
    assert page.evaluate("document.activeElement.name") == "q"
