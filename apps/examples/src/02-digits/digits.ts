import { createRequire } from 'node:module';

/** Pixels of an image: 28 x 28. */
export const PIXELS = 784;
export const CLASSES = 10;

/** Handwritten digits: image i is `pixels[i * PIXELS ...]`, each pixel from 0 to 1; `labels[i]` says which digit it is. */
export interface Digits {
  readonly count: number;
  readonly pixels: Float32Array;
  readonly labels: Uint8Array;
}

export interface DigitSets {
  readonly training: Digits;
  readonly test: Digits;
}

/**
 * Reads the MNIST digits that the `mnist` package ships, the same ones in the same order every time: of each class the
 * first `training` go to the one set and the next `test` to the other, classes taking turns.
 */
export function loadDigits({ training, test }: { readonly training: number; readonly test: number }): DigitSets {
  const require = createRequire(import.meta.url);
  const classes = Array.from({ length: CLASSES }, (_, digit) => readClass(require(`mnist/src/digits/${digit}.json`)));
  return { training: interleave(classes, 0, training), test: interleave(classes, training, test) };
}

/** The package holds a class as `{ data }`, its images one after the other. */
function readClass(json: unknown): readonly number[] {
  if (typeof json === 'object' && json !== null && 'data' in json && Array.isArray(json.data)) return json.data;
  throw new Error('the mnist package does not have the form that was expected');
}

function interleave(classes: readonly (readonly number[])[], first: number, perClass: number): Digits {
  const count = perClass * CLASSES;
  const pixels = new Float32Array(count * PIXELS);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const digit = i % CLASSES;
    const from = (first + Math.floor(i / CLASSES)) * PIXELS;
    const image = classes[digit]?.slice(from, from + PIXELS) ?? [];
    if (image.length !== PIXELS) throw new Error(`there are fewer than ${first + perClass} images of the digit ${digit}`);
    pixels.set(image, i * PIXELS);
    labels[i] = digit;
  }
  return { count, pixels, labels };
}
