/** A parameter of a kernel as its source declares it. */
export interface SourceParameter {
  readonly name: string;
  /** The type without qualifiers, as the demangler writes types: `float *`. */
  readonly type: string;
}

/**
 * Returns the parameters of the kernel `name` (without namespace and template arguments) that a
 * CUDA C++ text defines; `undefined` if it defines none of that name, or several whose parameters
 * differ.
 */
export function sourceParameters(text: string, name: string): readonly SourceParameter[] | undefined {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' ');
  const found = new Map<string, readonly SourceParameter[]>();
  const heads = new RegExp(`\\b__global__\\b[^;{}]*?\\b${name.replaceAll(/\W/g, '')}\\s*\\(`, 'g');
  for (const head of code.matchAll(heads)) {
    const from = head.index + head[0].length;
    const list = splitList(withoutDirectives(code.slice(from)));
    const parameters = list?.filter((one) => one.trim() !== '' && one.trim() !== 'void').map(parameterOf);
    if (parameters?.every((one) => one !== undefined) !== true) continue;
    found.set(JSON.stringify(parameters), parameters);
  }
  const [first] = found.values();
  return found.size === 1 ? first : undefined;
}

/** The same without lines of the preprocessor. Of two branches the second is kept. */
function withoutDirectives(code: string): string {
  const end = code.indexOf('{');
  const list = end < 0 ? code : code.slice(0, end);
  return list.replaceAll(/^\s*#\s*if[^#]*?^\s*#\s*else\b/gmu, '#else').replaceAll(/#[^\n]*/gu, '');
}

/** The text up to the parenthesis that closes it, divided at its commas. */
function splitList(code: string): readonly string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < code.length; at++) {
    const c = code[at];
    if (depth === 0 && (c === ',' || c === ')')) {
      parts.push(code.slice(start, at));
      if (c === ')') return parts;
      start = at + 1;
    } else if (c === '(' || c === '<' || c === '[') depth++;
    else if (c === ')' || c === '>' || c === ']') depth--;
  }
  return undefined;
}

const qualifiers = /\b(?:const|volatile|restrict|struct|class|enum|typename)\b|__\w+__|\b__restrict\b|&/g;

function parameterOf(text: string): SourceParameter | undefined {
  const [declaration = ''] = text.split('=');
  const plain = declaration.replaceAll(qualifiers, ' ').trim();
  const parts = /^(.*[\s*&>])(\w+)\s*((?:\[[^\]]*\]\s*)*)$/su.exec(plain);
  if (parts === null) return undefined;
  const [, base = '', name = '', arrays = ''] = parts;
  const stars = [...base.matchAll(/\*/g), ...arrays.matchAll(/\[/g)].length;
  return { name, type: `${base.replaceAll('*', ' ').trim().replaceAll(/\s+/g, ' ')}${' *'.repeat(stars)}` };
}
