import { parseCondition } from './parse-condition.ts';
import { NotExpressibleError, type LitmusTest, type LitmusThread, type Proxy, type Quantifier } from './litmus-test.ts';

const shape =
  /^\s*ptx\s+(?<name>\S+)[^{]*\{(?<declarations>[^}]*)\}\s*;?(?<program>[\s\S]*;)\s*(?<quantifier>~\s*exists|exists|forall)(?<condition>[\s\S]*)$/iu;

/**
 * Parses a litmus test.
 *
 * @throws TypeError if the text is no litmus test of PTX; NotExpressibleError if a variable is
 *   declared to hold an address.
 */
export function parseLitmus(text: string): LitmusTest {
  const groups = shape.exec(text)?.groups;
  if (groups === undefined) throw new TypeError('This is no litmus test of PTX.');
  const { name = '', declarations = '', program = '', quantifier = '', condition = '' } = groups;
  const declared = parseDeclarations(declarations);
  const threads = parseThreads(program);
  return {
    name,
    ...declared,
    locations: withUsed(declared, threads),
    threads,
    quantifier: quantifierOf(quantifier),
    condition: parseCondition(condition.replace(/;\s*$/u, '')),
  };
}

function quantifierOf(text: string): Quantifier {
  if (text.startsWith('~')) return 'not exists';
  return text === 'forall' ? 'forall' : 'exists';
}

const proxies: readonly Proxy[] = ['generic', 'constant', 'texture', 'surface'];

function parseDeclarations(text: string): Pick<LitmusTest, 'locations' | 'registers' | 'aliases'> {
  const locations = new Map<string, number>();
  const registers = new Map<string, number>();
  const aliases = new Map<string, { readonly proxy: Proxy; readonly of: string }>();
  // Some tests leave out semicolons between registers.
  const declarations = text.replaceAll(/(?<value>\d)\s*(?=P\d+\s*:)/gu, '$<value>;').split(';');
  for (const declaration of declarations.map((one) => one.trim()).filter((one) => one !== '')) {
    const alias = /^(?<name>\w+)\s*@\s*(?<proxy>\w+)\s+aliases\s+(?<of>\w+)$/u.exec(declaration)?.groups;
    if (alias !== undefined) {
      const proxy = proxies.find((one) => one === alias['proxy']);
      if (proxy === undefined) throw new TypeError(`There is no proxy ${alias['proxy']}.`);
      aliases.set(alias['name'] ?? '', { proxy, of: alias['of'] ?? '' });
      continue;
    }
    const [left = '', right = ''] = declaration.split('=').map((one) => one.trim());
    if (!/^-?\d+$/u.test(right)) throw new NotExpressibleError('A variable holds the address of a location.');
    const register = /^P?(?<thread>\d+)\s*:\s*(?<name>\w+)$/u.exec(left)?.groups;
    if (register === undefined) locations.set(left, Number(right));
    else registers.set(`P${register['thread']}:${register['name']}`, Number(right));
  }
  return { locations, registers, aliases };
}

/** Locations that are only used hold 0 at first. */
function withUsed(
  { locations, aliases }: Pick<LitmusTest, 'locations' | 'aliases'>,
  threads: readonly LitmusThread[],
): ReadonlyMap<string, number> {
  const all = new Map(locations);
  for (const instruction of threads.flatMap(({ instructions }) => instructions)) {
    for (const operand of operandsOf(instruction)) {
      if (isLocation(operand) && !aliases.has(operand) && !all.has(operand)) all.set(operand, 0);
    }
  }
  return all;
}

/** The operands of an instruction or label. */
export function operandsOf(instruction: string): readonly string[] {
  const [, operands = ''] = /^\S+\s+(.*)$/u.exec(instruction) ?? [];
  return operands === '' ? [] : operands.split(',').map((one) => one.trim());
}

/** True for a name that is neither a register, a label nor a number. */
function isLocation(operand: string): boolean {
  return /^[A-Za-z_]\w*$/u.test(operand) && !/^(?:r|LC)\d+$/u.test(operand);
}

function parseThreads(text: string): readonly LitmusThread[] {
  const rows = text
    .split(';')
    .slice(0, -1)
    .map((row) => row.split('|').map((cell) => cell.trim()));
  const [heads = [], ...body] = rows;
  return heads.map((head, index) => {
    const found = /^(?<name>P\d+)\s*@\s*cta\s+(?<cta>\d+)\s*,\s*gpu\s+(?<gpu>\d+)$/u.exec(head)?.groups;
    if (found === undefined) throw new TypeError(`This is no thread of PTX: ${head}`);
    const instructions = body.flatMap((row) => (row[index] === undefined || row[index] === '' ? [] : [row[index]]));
    return { name: found['name'] ?? '', cta: Number(found['cta']), gpu: Number(found['gpu']), instructions };
  });
}
