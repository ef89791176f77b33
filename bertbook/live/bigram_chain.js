// The counting rival: how likely each piece is between its neighbors, by counts of pairs alone.
// The twin of bertbook/core/bigram_chain.py. It comes with the counts, in the script of their model,
// and is no part of the script that every page has. Chapter 14.

const SPECIAL_PIECES = 5; // the first of every vocabulary; they are never an answer

/** Read base64 as numbers of seven bits a byte, the lowest first; the last byte is below 128. */
function decodeVarints(base64) {
  const numbers = [];
  let [number, place] = [0, 1];
  for (const letter of atob(base64)) {
    const byte = letter.charCodeAt(0);
    number += (byte & 127) * place;
    place *= 128;
    if (byte > 127) continue;
    numbers.push(number);
    [number, place] = [0, 1];
  }
  return numbers;
}

class BigramChain {
  /** Pairs are (steps from pair to pair, count), with left · vocab + right as a pair's number. */
  constructor(base64, vocab) {
    const numbers = decodeVarints(base64);
    Object.assign(this, { vocab, pairs: [], rest: new Float64Array(vocab).fill(1) });
    const [seen, total, base] = [[0, 0, 0], Array(vocab).fill(0), Array(vocab).fill(0.5)];
    for (let n = 0, pair = 0; n < numbers.length; n += 2) {
      pair += numbers[n];
      const [left, right, count] = [Math.floor(pair / vocab), pair % vocab, numbers[n + 1]];
      this.pairs.push([left, right, count]);
      if (count < 3) seen[count]++;
      total[left] += count;
      base[right]++;
    }
    const discount = seen[1] / (seen[1] + 2 * seen[2]);
    for (const pair of this.pairs) {
      pair[2] = (pair[2] - discount) / total[pair[0]];
      this.rest[pair[0]] -= pair[2];
    }
    const sum = base.reduce((a, b) => a + b);
    this.base = base.map((number) => number / sum);
  }

  /** Sum over the piece on one side: how likely is each piece after it, or it after each piece? */
  step(known, isBackward) {
    const { pairs, rest, base } = this;
    const [from, to] = isBackward ? [base, rest] : [rest, base];
    const share = known.reduce((sum, weight, piece) => sum + weight * from[piece], 0);
    const weights = Float64Array.from(to, (number) => share * number);
    for (const [left, right, kept] of pairs) {
      if (isBackward) weights[left] += kept * known[right];
      else weights[right] += kept * known[left];
    }
    return weights.fill(0, 0, SPECIAL_PIECES); // (vocab)
  }

  /** Give the chance of each piece at each hidden place, by all ways to fill all of them. */
  answers(inputIds, mask) {
    const certain = (id) => new Float64Array(this.vocab).fill(1, id, id + 1);
    const messages = (ids, isBackward) => {
      const found = [];
      for (const [place, id] of ids.entries()) {
        found.push(id === mask ? this.step(found[place - 1], isBackward) : certain(id));
      }
      return found;
    };
    const before = messages(inputIds, false);
    const after = messages([...inputIds].reverse(), true).reverse();
    const places = inputIds.flatMap((id, place) => (id === mask ? [place] : []));
    return places.map((place) => {
      const weights = before[place].map((weight, piece) => weight * after[place][piece]);
      const sum = weights.reduce((a, b) => a + b);
      return weights.map((weight) => weight / sum); // (vocab)
    });
  }
}
