/**
 * Makes a number smaller as far as `take` takes it, down to `least`: at once, or by halves, or by
 * one. Answers the smallest that was taken; one less was then refused, or is below `least`.
 */
export async function shrinkNumber(
  start: number,
  least: number,
  take: (value: number) => Promise<boolean>,
): Promise<number> {
  let value = start;
  for (let step = value - least; step > 0;) {
    if (await take(value - step)) {
      value -= step;
      step = value - least;
    } else step = Math.floor(step / 2);
  }
  return value;
}
