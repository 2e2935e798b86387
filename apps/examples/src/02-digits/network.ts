import { CLASSES, PIXELS, type Digits } from './digits.ts';

const HIDDEN = 32;

/** All weights in one array, so that one AllReduce sums all gradients. */
const W1 = 0;
const B1 = W1 + PIXELS * HIDDEN;
const W2 = B1 + HIDDEN;
const B2 = W2 + HIDDEN * CLASSES;
export const PARAMETERS: number = B2 + CLASSES;

/** The same starting weights on every rank and in every run. */
export function initialWeights(): Float32Array {
  const weights = new Float32Array(PARAMETERS);
  const random = generator(12345);
  fill(weights, W1, PIXELS * HIDDEN, Math.sqrt(2 / PIXELS), random);
  fill(weights, W2, HIDDEN * CLASSES, Math.sqrt(2 / HIDDEN), random);
  return weights;
}

function fill(weights: Float32Array, at: number, count: number, scale: number, random: () => number): void {
  for (let i = 0; i < count; i++) weights[at + i] = (random() * 2 - 1) * scale;
}

/** A small linear congruential generator: its numbers are the same everywhere. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Activations {
  readonly hidden: Float64Array;
  readonly probabilities: Float64Array;
}

/** One image through the network: relu, then softmax. */
function forward(weights: Float32Array, digits: Digits, image: number, into: Activations): void {
  const { hidden, probabilities } = into;
  for (let h = 0; h < HIDDEN; h++) hidden[h] = weights[B1 + h] ?? 0;
  for (let p = 0; p < PIXELS; p++) {
    const x = digits.pixels[image * PIXELS + p] ?? 0;
    if (x === 0) continue;
    for (let h = 0; h < HIDDEN; h++) hidden[h] = (hidden[h] ?? 0) + x * (weights[W1 + p * HIDDEN + h] ?? 0);
  }
  let largest = -Infinity;
  for (let c = 0; c < CLASSES; c++) {
    let sum = weights[B2 + c] ?? 0;
    for (let h = 0; h < HIDDEN; h++) {
      const relu = Math.max(0, hidden[h] ?? 0);
      sum += relu * (weights[W2 + h * CLASSES + c] ?? 0);
    }
    probabilities[c] = sum;
    largest = Math.max(largest, sum);
  }
  let total = 0;
  for (let c = 0; c < CLASSES; c++) {
    const e = Math.exp((probabilities[c] ?? 0) - largest);
    probabilities[c] = e;
    total += e;
  }
  for (let c = 0; c < CLASSES; c++) probabilities[c] = (probabilities[c] ?? 0) / total;
}

function activations(): Activations {
  return { hidden: new Float64Array(HIDDEN), probabilities: new Float64Array(CLASSES) };
}

/**
 * Adds the gradients of the images `first`, `first + step`, ... below `end` to `gradients`, and answers the sum of their
 * losses.
 */
export function addGradients(
  weights: Float32Array,
  digits: Digits,
  { first, end, step }: { readonly first: number; readonly end: number; readonly step: number },
  gradients: Float64Array,
): number {
  const state = activations();
  const back = new Float64Array(HIDDEN);
  let loss = 0;
  for (let image = first; image < end; image += step) {
    forward(weights, digits, image, state);
    const label = digits.labels[image] ?? 0;
    loss -= Math.log(Math.max(state.probabilities[label] ?? 0, 1e-12));
    back.fill(0);
    for (let c = 0; c < CLASSES; c++) {
      const error = (state.probabilities[c] ?? 0) - (c === label ? 1 : 0);
      gradients[B2 + c] = (gradients[B2 + c] ?? 0) + error;
      for (let h = 0; h < HIDDEN; h++) {
        const active = state.hidden[h] ?? 0;
        if (active <= 0) continue;
        const w = W2 + h * CLASSES + c;
        gradients[w] = (gradients[w] ?? 0) + error * active;
        back[h] = (back[h] ?? 0) + error * (weights[w] ?? 0);
      }
    }
    for (let h = 0; h < HIDDEN; h++) gradients[B1 + h] = (gradients[B1 + h] ?? 0) + (back[h] ?? 0);
    for (let p = 0; p < PIXELS; p++) {
      const x = digits.pixels[image * PIXELS + p] ?? 0;
      if (x === 0) continue;
      for (let h = 0; h < HIDDEN; h++) {
        const w = W1 + p * HIDDEN + h;
        gradients[w] = (gradients[w] ?? 0) + x * (back[h] ?? 0);
      }
    }
  }
  return loss;
}

/** The share of images whose digit the network finds. */
export function accuracy(weights: Float32Array, digits: Digits): number {
  const state = activations();
  let right = 0;
  for (let image = 0; image < digits.count; image++) {
    forward(weights, digits, image, state);
    const best = state.probabilities.reduce((at, p, c) => (p > (state.probabilities[at] ?? 0) ? c : at), 0);
    if (best === digits.labels[image]) right++;
  }
  return right / digits.count;
}
