/**
 * Shortens a list of choices and sets more of them to 0, as long as `take` accepts the result. It
 * first cuts the end, because choices past the end count as 0. Then it sets parts to 0, halves
 * first and single choices last.
 */
export async function shrinkList(
  start: readonly number[],
  take: (choices: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let choices = start;
  const attempt = async (candidate: readonly number[]): Promise<boolean> => {
    const shorter = withoutEnd(candidate);
    if (sameLists(shorter, choices) || !(await take(shorter))) return false;
    choices = shorter;
    return true;
  };
  await attempt(choices);
  for (let size = choices.length; size >= 1; size = Math.floor(size / 2)) {
    while (choices.length >= size && (await attempt(choices.slice(0, choices.length - size)))) {
      // The rest may be cut by the same length again.
    }
  }
  for (let size = Math.ceil(choices.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < choices.length; from += size) {
      const until = from + size;
      await attempt(choices.map((choice, i) => (i >= from && i < until ? 0 : choice)));
    }
  }
  return choices;
}

function withoutEnd(choices: readonly number[]): readonly number[] {
  const last = choices.findLastIndex((choice) => choice !== 0);
  return choices.slice(0, last + 1);
}

function sameLists(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
