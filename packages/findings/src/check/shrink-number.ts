/**
 * Reduces a number while `take` accepts it: to `least` at once, by halves, or by one. Returns the
 * smallest accepted number. `take` refused the next smaller one, or it is below `least`.
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
