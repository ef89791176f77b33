// Trained weights: how they come from a script file and become arrays. Chapter 15.
//
// A page that is opened from the disk may not read other files, but it may load other scripts. So
// the weights stand in scripts, 16 bits a number, or 8 bits and a scale for each row of a matrix,
// written in the 64 letters of base64.

/** Turn the 16 bits of a number into the number: a sign, 5 bits of exponent, 10 of fraction. */
function halfToNumber(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  return exponent
    ? sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
    : sign * fraction * 2 ** -24;
}

/** Turn base64 into bytes. */
function decodeBytes(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** Turn bytes, two for each, into numbers. */
function decodeHalves(bytes) {
  const numbers = new Float32Array(bytes.length / 2);
  for (let i = 0; i < numbers.length; i++) {
    numbers[i] = halfToNumber(bytes[2 * i] | (bytes[2 * i + 1] << 8));
  }
  return numbers;
}

/** Cut one long row of numbers into the named arrays of a model. */
function cutTensors(shapes, numbers) {
  const tensors = new Map();
  let begin = 0;
  for (const [name, shape] of shapes) {
    const size = shape.reduce((count, length) => count * length, 1);
    tensors.set(name, { data: numbers.subarray(begin, begin + size), shape });
    begin += size;
  }
  return tensors;
}

/** Multiply the whole numbers of each row by its scale. Chapter 23. */
function decodeEightBits({ shapes, data, rows, numbers }) {
  const tensors = cutTensors(shapes, new Float32Array(decodeBytes(data).buffer));
  const whole = cutTensors(rows, new Int8Array(decodeBytes(numbers).buffer));
  for (const [name, { data, shape }] of whole) {
    const scale = tensors.get(`${name}.scale`).data; // (rows)
    const scaled = Float32Array.from(data, (number, i) => number * scale[Math.floor(i / shape[1])]);
    tensors.set(name, { data: scaled, shape });
  }
  return tensors;
}

/** Make a model of what a script file holds. */
function unpackModel({ kind, config, pieces, do_lower_case, rival, ...weights }) {
  const tensors = weights.rows
    ? decodeEightBits(weights)
    : cutTensors(weights.shapes, decodeHalves(decodeBytes(weights.data)));
  const tensor = (name) => tensors.get(name);
  const isToy = kind === "toy";
  return {
    config,
    tensor,
    has: (name) => tensors.has(`${name}.weight`),
    part: (name) => ({ weight: tensor(`${name}.weight`), bias: tensor(`${name}.bias`) }),
    tokenizer: isToy ? new WordTokenizer(pieces) : new WordPieceTokenizer(pieces, do_lower_case),
    rival, // who counts, and answers the same questions
    compute: isToy ? toyBert : bertForPreTraining,
    layers: isToy ? 1 : config.num_hidden_layers,
    heads: isToy ? 1 : config.num_attention_heads,
    longest: tensor(isToy ? "position_embeddings" : "bert.embeddings.position_embeddings.weight")
      .shape[0],
  };
}
