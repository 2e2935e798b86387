import { InvalidArgumentError } from 'commander';

/** An integer option within bounds. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      const allowed = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
      throw new InvalidArgumentError(`It must be an integer ${allowed}.`);
    }
    return value;
  };
}

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** A number of bytes: `4096`, `64K`, `1M`, `1G`. */
export function bytes(text: string): number {
  const match = /^(\d+)([kmg]?)(i?b)?$/i.exec(text);
  const value = Number(match?.[1]) * (units[match?.[2]?.toLowerCase() ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a size: 4096, 64K, 1M, 1G.');
  return value;
}

/** `--arg count=1024`, any number of times. */
export function assignment(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be of the form name=value.');
  const name = text.slice(0, at);
  if (before.has(name)) throw new InvalidArgumentError(`It gives ${name} a second value.`);
  return new Map([...before, [name, text.slice(at + 1)]]);
}

/** A time in seconds, more than 0. */
export function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || value > MOST_SECONDS) {
    throw new InvalidArgumentError(`It must be a number of seconds above 0 and up to ${MOST_SECONDS}.`);
  }
  return value;
}

/** The longest that a timer of Node waits. */
const MOST_SECONDS = 2_147_482;

/** An option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
