/** A part of a source, as offsets. */
export interface Body {
  readonly start: number;
  readonly end: number;
}

/** A call that is a statement of its own. */
export interface CallInSource extends Body {
  readonly text: string;
  readonly name: string;
  readonly args: readonly string[];
}

/** The device functions whose body has a loop that waits, directly or by what they call. */
export function waitingFunctions(source: string): readonly string[] {
  const functions = [...source.matchAll(/__device__[^;{()]*?(\w+)\s*\(/gu)].flatMap(([, name = '']) => {
    const body = bodyOf(source, name);
    return body === undefined ? [] : [{ name, text: source.slice(body.start, body.end) }];
  });
  const waiting = new Set(functions.filter(({ text }) => /\b(?:while|do)\b/u.test(text)).map(({ name }) => name));
  for (const { name, text } of functions) if ([...waiting].some((one) => isCalled(text, one))) waiting.add(name);
  return functions
    .filter(({ name, text }) => waiting.has(name) && /__sync(?:threads|warp)/u.test(text))
    .map(({ name }) => name);
}

function isCalled(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\s*\\(`, 'u').test(text);
}

/** The body of a function of this name, inside its braces. */
export function bodyOf(source: string, name: string): Body | undefined {
  for (const { index } of source.matchAll(new RegExp(`\\b${name}\\s*\\(`, 'gu'))) {
    const close = closing(source, source.indexOf('(', index));
    const open = close === undefined ? -1 : source.indexOf('{', close);
    if (close === undefined || open === -1 || !/^[\s\w():,]*$/u.test(source.slice(close + 1, open))) continue;
    const end = closing(source, open);
    if (end !== undefined) return { start: open + 1, end };
  }
  return undefined;
}

/** The offset of the bracket that closes the one at `from`. */
function closing(source: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const one = source.charAt(at);
    if ('({['.includes(one)) depth++;
    if (')}]'.includes(one) && --depth === 0) return at;
  }
  return undefined;
}

/** The calls of a function in a body that are statements of their own. */
export function callsOf(source: string, { start, end }: Body, name: string): readonly CallInSource[] {
  return [...source.slice(start, end).matchAll(new RegExp(`(?<=^[ \\t]*)${name}\\s*\\(`, 'gmu'))].flatMap(
    ({ index }) => {
      const first = start + index;
      const close = closing(source, source.indexOf('(', first));
      if (close === undefined || source.charAt(close + 1) !== ';') return [];
      const args = argumentsOf(source.slice(source.indexOf('(', first) + 1, close));
      return [{ start: first, end: close + 2, text: source.slice(first, close + 2), name, args }];
    },
  );
}

function argumentsOf(text: string): readonly string[] {
  const args: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const one = text.charAt(at);
    if ('({['.includes(one) && one !== '') depth++;
    if (')}]'.includes(one) && one !== '') depth--;
    if (at < text.length && (one !== ',' || depth > 0)) continue;
    args.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return args;
}

/** The call with another argument. */
export function withArgument({ name, args }: CallInSource, at: number, value: string): string {
  return `${name}(${args.map((arg, i) => (i === at ? value : arg)).join(', ')});`;
}
