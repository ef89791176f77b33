// Word pieces: cut words into pieces of a vocabulary, and name each by its id. Chapter 6.

const SPECIAL = /(\[PAD\]|\[UNK\]|\[CLS\]|\[SEP\]|\[MASK\])/;
const LONGEST_WORD = 100;

/** Take the longest piece that fits, again and again; none at all if one is missing. */
function longestMatch(letters, vocab) {
  const ids = [];
  let position = 0;
  while (position < letters.length) {
    let end = letters.length;
    const piece = () => (position ? "##" : "") + letters.slice(position, end).join("");
    while (end > position && !vocab.has(piece())) end--;
    if (end === position) return [];
    ids.push(vocab.get(piece()));
    position = end;
  }
  return ids;
}

/** The twin of minibert.wordpiece.WordPieceTokenizer. */
class WordPieceTokenizer {
  constructor(pieces, doLowerCase = true) {
    this.pieces = pieces;
    this.doLowerCase = doLowerCase;
    this.vocab = new Map(pieces.map((piece, id) => [piece, id]));
  }

  /** Cut a text into words and each word into ids; special tokens stand for themselves. */
  words(text) {
    return text.split(SPECIAL).flatMap((part, number) => {
      if (number % 2) return [{ word: part, ids: [this.vocab.get(part)] }];
      const words = splitWords(part, this.doLowerCase);
      return words.map((word) => ({ word, ids: this.idsOfWord(word) }));
    });
  }

  idsOfWord(word) {
    const letters = Array.from(word); // a character beyond 16 bits is one letter
    const ids = letters.length > LONGEST_WORD ? [] : longestMatch(letters, this.vocab);
    return ids.length ? ids : [this.vocab.get("[UNK]")];
  }

  /** Turn a text, or a pair of texts, into what a model takes: [CLS] text [SEP] pair [SEP]. */
  encode(text, pair) {
    const [cls, sep] = ["[CLS]", "[SEP]"].map((token) => this.vocab.get(token));
    const ids = (part) => this.words(part).flatMap((word) => word.ids);
    const first = [cls, ...ids(text), sep];
    const second = pair === undefined ? [] : [...ids(pair), sep];
    const tokenTypeIds = [...first.map(() => 0), ...second.map(() => 1)];
    return { inputIds: [...first, ...second], tokenTypeIds };
  }
}
