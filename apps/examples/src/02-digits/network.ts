import { randomNumbers } from '../random.ts';
import { CLASSES, PIXELS, type Digit } from './digits.ts';

const HIDDEN = 32;
const NOTHING = new Float32Array();

/**
 * The parameters of a layer: a row of weights for each input, then a row of biases. Each row has
 * one number for each output.
 */
type LayerWeights = readonly Float32Array[];

/**
 * A network with a layer of relu units and a layer of softmax units. Gradients have the same shape.
 */
export interface Network {
  readonly hidden: LayerWeights;
  readonly output: LayerWeights;
}

/** The number of parameters of a network. */
export const PARAMETERS: number = (PIXELS + 1) * HIDDEN + (HIDDEN + 1) * CLASSES;

/**
 * Makes the network whose parameters are the first elements of `values`. They are in one array, so
 * one AllReduce sums all of them.
 */
export function networkIn(values: Float32Array): Network {
  const rows = (at: number, inputs: number, outputs: number): LayerWeights =>
    Array.from({ length: inputs + 1 }, (_, i) => values.subarray(at + i * outputs, at + (i + 1) * outputs));
  return { hidden: rows(0, PIXELS, HIDDEN), output: rows((PIXELS + 1) * HIDDEN, HIDDEN, CLASSES) };
}

/** Sets small initial weights, which are the same every time. */
export function initialise(network: Network): void {
  const random = randomNumbers(12345);
  for (const layer of [network.hidden, network.output]) {
    const weights = layer.slice(0, -1);
    const scale = Math.sqrt(2 / weights.length);
    for (const row of weights) {
      for (let i = 0; i < row.length; i++) row[i] = (2 * random() - 1) * scale;
    }
  }
}

/**
 * Adds the gradients of one digit's loss to `gradients`.
 *
 * @returns the cross-entropy loss, in nats.
 */
export function learn(network: Network, { pixels, label }: Digit, gradients: Network): number {
  const hidden = relu(apply(network.hidden, pixels));
  const probabilities = softmax(apply(network.output, hidden));
  const loss = -Math.log(Math.max(probabilities[label] ?? 0, 1e-12));

  const outputError = probabilities.map((p, c) => p - (c === label ? 1 : 0));
  // If relu returned zero, its gradient is zero.
  const hiddenError = hidden.map((h, i) => (h > 0 ? dot(network.output[i], outputError) : 0));
  addOuterProduct(gradients.output, hidden, outputError);
  addOuterProduct(gradients.hidden, pixels, hiddenError);
  return loss;
}

/** The fraction of digits that the network recognises. */
export function accuracy(network: Network, digits: readonly Digit[]): number {
  const right = digits.filter(({ pixels, label }) => {
    const scores = apply(network.output, relu(apply(network.hidden, pixels)));
    return scores.indexOf(Math.max(...scores)) === label;
  });
  return right.length / digits.length;
}

function apply(layer: LayerWeights, inputs: Float32Array): Float32Array {
  const outputs = new Float32Array(layer.at(-1) ?? []);
  for (let i = 0; i < inputs.length; i++) addScaled(outputs, inputs[i], layer[i]);
  return outputs;
}

/** Adds `inputs` times `errors` to a layer's weights, and `errors` to its biases. */
function addOuterProduct(layer: LayerWeights, inputs: Float32Array, errors: Float32Array): void {
  for (let i = 0; i < inputs.length; i++) addScaled(layer[i], inputs[i], errors);
  addScaled(layer.at(-1), 1, errors);
}

function relu(values: Float32Array): Float32Array {
  return values.map((value) => Math.max(0, value));
}

function softmax(scores: Float32Array): Float32Array {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  const sum = exponentials.reduce((total, e) => total + e, 0);
  return exponentials.map((e) => e / sum);
}

function addScaled(to: Float32Array = NOTHING, factor = 0, values: Float32Array = NOTHING): void {
  // Most pixels are 0.
  if (factor === 0) return;
  for (let i = 0; i < to.length; i++) to[i]! += factor * values[i]!;
}

function dot(a: Float32Array = NOTHING, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
