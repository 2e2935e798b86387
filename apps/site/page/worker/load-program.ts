import type { HostLaunch } from '@nccl-ts/checker';
import { provideAuthorText, type Kernel } from '@nccl-ts/kernel';
import type { Communicator } from '@nccl-ts/communicator';
import type { SimBackend, SimOptions } from '@nccl-ts/backend-sim';
import { blankTypes, isNode, parseModule, type SyntaxNode } from './blank-types.ts';
import { beginLoading, loadPackage, moduleUrl, packageNames, registry } from './registry.ts';

export interface LoadedProgram {
  readonly kernels: readonly Kernel[];
  /**
   * The host program of one rank; `undefined` if the module opens its own world or has no host
   * program.
   */
  readonly host: ((comm: Communicator, launch?: HostLaunch) => unknown) | undefined;
  readonly exported: Readonly<Record<string, unknown>>;
}

/** `nccl-ts check` passes this to a host program by default. */
const byDefault: HostLaunch = { grid: 2, block: 32 };

/** The file name of the page's program in reports. */
export const FILE = 'kernel.ts';

/** True if the module opens its own world, like the program of the README. */
export function opensWorld(text: string): boolean {
  return /\bWorld\s*\.\s*open\s*\(/.test(text);
}

/** The error for a program whose `host` cannot be called. `act` is the verb: `run the program`. */
export function noHost(act: string): TypeError {
  return new TypeError(`cannot ${act}, because it exports no host program; export async function host(comm).`);
}

/**
 * Runs the module's top level, and returns its kernels and its host program. `backend` replaces
 * `sim(...)` in it; `kernels` collects the kernels as they are created.
 *
 * @throws SyntaxError if the text is not a module.
 * @throws TypeError if it imports anything but the packages of the page. Errors of the module are
 * passed on.
 */
export async function loadProgram(
  text: string,
  backend?: (options: SimOptions) => SimBackend,
  kernels: Kernel[] = [],
): Promise<LoadedProgram> {
  const tree = parseModule(text);
  const stripped = blankTypes(text, tree);
  for (const { specifier, names } of importsOf(tree)) await loadPackage(specifier, names);
  beginLoading({ backend, kernels });
  const url = URL.createObjectURL(new Blob([withUrls(stripped, tree)], { type: 'text/javascript' }));
  provideAuthorText({ file: FILE, ran: stripped, author: text, url });
  try {
    const module: unknown = await import(/* @vite-ignore */ url);
    const exported = typeof module === 'object' && module !== null ? Object.fromEntries(Object.entries(module)) : {};
    const host: unknown = exported['host'] ?? exported['default'];
    const isHost = typeof host === 'function';
    return {
      kernels,
      host: isHost
        ? (comm, launch = byDefault) => Reflect.apply(host, undefined, [comm, launch]) as unknown
        : undefined,
      exported,
    };
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The names that a module imports from each package; `*` means all of them. */
function importsOf(tree: SyntaxNode): { readonly specifier: string; readonly names: readonly string[] }[] {
  return statementsWithSource(tree).map(({ node, source }) => {
    const specifiers: unknown = node['specifiers'];
    if (!Array.isArray(specifiers)) return { specifier: String(source['value']), names: ['*'] };
    const names = specifiers.flatMap((one: unknown) => {
      if (!isNode(one) || one['importKind'] === 'type' || one['exportKind'] === 'type') return [];
      const named = one.type === 'ExportSpecifier' ? one['local'] : one['imported'];
      return [isNode(named) ? String(named['name']) : '*'];
    });
    return { specifier: String(source['value']), names };
  });
}

/** The imports and exports from packages, except type-only ones. */
function statementsWithSource(tree: SyntaxNode): { readonly node: SyntaxNode; readonly source: SyntaxNode }[] {
  const body: unknown = tree['body'];
  return (Array.isArray(body) ? body : []).flatMap((node: unknown) => {
    if (!isNode(node)) return [];
    const source = node['source'];
    if (!isNode(source) || node['importKind'] === 'type' || node['exportKind'] === 'type') return [];
    return [{ node, source }];
  });
}

/** The text with the URLs of the page's packages instead of their names. */
function withUrls(text: string, tree: SyntaxNode): string {
  const edits: { readonly start: number; readonly end: number; readonly insert: string }[] = [];
  for (const { node, source } of statementsWithSource(tree)) {
    const specifier = String(source['value']);
    const url = moduleUrl(specifier);
    if (url === undefined) {
      throw new TypeError(
        `cannot import '${specifier}', because the page has only its own packages: ${packageNames.join(', ')}.`,
      );
    }
    edits.push({ start: source.start, end: source.end, insert: JSON.stringify(url) });
    edits.push(...typesAmong(node, specifier, text));
  }
  let result = text;
  for (const { start, end, insert } of edits.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + insert + result.slice(end);
  }
  return result;
}

/** Like TypeScript, the page drops imported names that are types, even without `type`. */
function typesAmong(
  node: SyntaxNode,
  specifier: string,
  text: string,
): { start: number; end: number; insert: string }[] {
  const specifiers: unknown = node['specifiers'];
  return (Array.isArray(specifiers) ? specifiers : []).flatMap((one: unknown) => {
    if (!isNode(one) || one.type !== 'ImportSpecifier' || one['importKind'] === 'type') return [];
    const imported = one['imported'];
    if (!isNode(imported) || Object.hasOwn(registry[specifier] ?? {}, String(imported['name']))) return [];
    return [{ start: one.start, end: text[one.end] === ',' ? one.end + 1 : one.end, insert: '' }];
  });
}
