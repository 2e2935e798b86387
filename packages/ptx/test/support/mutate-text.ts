/** Returns a whole number from 0 to below 2^32. */
export type Random = () => number;

/** A change of a text. */
type Mutation = (text: string, random: Random) => string;

/** Words of PTX that a change may insert anywhere. */
const words: readonly string[] = `
  .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .pred .f16 .bf16 .f16x2 .bf16x2 .f32 .f64 .tf32 .e4m3x2 .v2
  .v4 .v8 .wide .lo .hi .cc .sat .ftz .rn .rz .rni .approx .full .global .shared .local .param .const .shared::cluster
  .shared::cta .reg .extern .relaxed .acquire .release .volatile .weak .mmio .sys .gpu .cta .cluster .nc .add .min .inc .cas
  .exch .and .popc .bfly .ballot .sync .aligned .uni .eq .lt .ltu .num .b4e .clamp .wrap .align .loc .file .func .entry add sub
  mul mad div rem neg and xor not shl shr shf prmt bfi bfe lop3 popc clz bfind brev dp4a sad min max fma rcp sqrt ex2 sin testp
  cvt cvta mov selp slct set setp isspacep mapa ld st ldu atom red fence membar bar barrier shfl vote match redux elect
  activemask nanosleep multimem griddepcontrol cp mbarrier wgmma mma tex trap exit ret bra brx call addc subc madc mul24
  copysign createpolicy prefetch discard alloca stacksave %tid.x %ntid %clock64 %laneid %SP %r1 %rd1 %f1 %p1 %rs1 %q1 %envreg3
  { } ( ) [ ] , ; : @ ! | _ < > = + - ~ ? :: " WARP_SZ generic mask inlined_at function_name /* // $L__BB0_1 $L__BB0_2
`
  .trim()
  .split(/\s+/u);

const numbers: readonly string[] = `
  0 1 -1 2 3 7 31 32 33 64 255 256 1023 65535 65536 2147483647 4294967295 4294967296 9223372036854775808 18446744073709551615
  18446744073709551616 99999999999999999999999999 0xffffffff 0x1p4 08 0b102 0f3F800000 0f7FC00000 0fFF 1e400 0d3FF0000000000000
  0d7FF8000000000001 1.5 -0 0U 1<<40 (1 -(-(5)) 1/0 !1
`
  .trim()
  .split(/\s+/u);

const token = /\.[\w$%][\w$%:]*|[A-Za-z_%$][\w$%]*|\d[\w.]*|"[^"\n]*"|[^\s\w]/gu;
const type = /\.(?:[busf](?:8|16|32|64|128)|bf16(?:x2)?|f16x2|pred)\b/gu;
const number = /(?<![\w%$.])-?\d\w*/gu;
const register = /%[a-z]+\d+/gu;
const label = /\$L_\w+/gu;

/** Makes texts with one to six changes of a PTX text. */
export function mutateText(text: string, random: Random): string {
  const changes = 1 + (below(random, 3) === 0 ? below(random, 6) : 0);
  let changed = text;
  for (let i = 0; i < changes; i++) changed = pick(mutations, random)(changed, random);
  return changed;
}

const mutations: readonly Mutation[] = [
  ...[token, token, type, type, number, number, register, register, label].map(
    (of): Mutation =>
      (text, random) =>
        replaceOne(text, of, random, (_, all) => pick(all, random)),
  ),
  (text, random) => replaceOne(text, token, random, () => ''),
  (text, random) => replaceOne(text, token, random, (found) => `${found} ${found}`),
  (text, random) => replaceOne(text, token, random, (found) => `${found} ${pick(words, random)}`),
  (text, random) => replaceOne(text, token, random, () => pick(words, random)),
  (text, random) => replaceOne(text, /(?<=\w)\.[\w:]+/gu, random, (found) => `${found}${pick(words, random)}`),
  (text, random) => replaceOne(text, /(?<=\w)\.[\w:]+/gu, random, () => pick(words, random)),
  (text, random) => replaceOne(text, /(?<=\w)\.[\w:]+/gu, random, () => ''),
  (text, random) => replaceOne(text, /(?<=\n\s+)[a-z]\w+(?=[.\s])/gu, random, () => pick(words, random)),
  (text, random) => replaceOne(text, number, random, () => pick(numbers, random)),
  (text, random) => replaceOne(text, register, random, () => pick(numbers, random)),
  (text, random) => replaceOne(text, /[^\s,]+(?=[,;])/gu, random, (_, all) => pick(all, random)),
  (text, random) => replaceOne(text, /, [^\s,;]+/gu, random, () => ''),
  (text, random) => replaceOne(text, /, [^\s,;]+/gu, random, (found, all) => found + pick(all, random)),
  (text, random) => swapTokens(text, random),
  (text, random) => onLines(text, (lines) => lines.toSpliced(below(random, lines.length), 1)),
  (text, random) => onLines(text, (lines) => lines.toSpliced(below(random, lines.length), 1 + below(random, 8))),
  (text, random) =>
    onLines(text, (lines) => lines.toSpliced(below(random, lines.length), 0, pick(lines, random), pick(lines, random))),
  (text, random) =>
    onLines(text, (lines) => {
      const [a, b] = [below(random, lines.length), below(random, lines.length)];
      return lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '');
    }),
  (text, random) => text.slice(0, below(random, text.length + 1)),
  (text, random) => text.slice(below(random, text.length + 1)),
  (text, random) => {
    const at = below(random, text.length + 1);
    const noise = Array.from({ length: 1 + below(random, 12) }, () => String.fromCodePoint(below(random, 256)));
    return `${text.slice(0, at)}${noise.join('')}${text.slice(at + below(random, 4))}`;
  },
  (text, random) => {
    const at = below(random, text.length + 1);
    return `${text.slice(0, at)}${String.fromCharCode(below(random, 65_536))}${text.slice(at)}`;
  },
];

export function below(random: Random, count: number): number {
  return random() % Math.max(1, count);
}

export function pick<T>(list: readonly T[], random: Random): T {
  const found = list[below(random, list.length)];
  if (found === undefined) throw new RangeError('nothing can be picked of an empty list');
  return found;
}

/** Replaces one match by the result of `by`. `all` are the texts of all matches. */
function replaceOne(
  text: string,
  of: RegExp,
  random: Random,
  by: (found: string, all: readonly string[]) => string,
): string {
  const matches = [...text.matchAll(of)];
  if (matches.length === 0) return text;
  const { 0: found, index } = pick(matches, random);
  const made = by(
    found,
    matches.map(([one]) => one),
  );
  return text.slice(0, index) + made + text.slice(index + found.length);
}

function swapTokens(text: string, random: Random): string {
  const matches = [...text.matchAll(token)];
  if (matches.length < 2) return text;
  const at = below(random, matches.length - 1);
  const [a, b] = [matches[at], matches[Math.min(matches.length - 1, at + 1 + below(random, 3))]];
  if (a === undefined || b === undefined || a === b) return text;
  const between = text.slice(a.index + a[0].length, b.index);
  return text.slice(0, a.index) + b[0] + between + a[0] + text.slice(b.index + b[0].length);
}

function onLines(text: string, change: (lines: string[]) => string[]): string {
  return change(text.split('\n')).join('\n');
}
