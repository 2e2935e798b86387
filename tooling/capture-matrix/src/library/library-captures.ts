import { normalise, printModule, type Module } from '@nccl-ts/ir';
import { analyseKernel } from '@nccl-ts/kernel';

import { usedIn } from '../used-in.ts';
import { libraryKernels } from './library-kernels.ts';
import { transferModules } from './transfer-modules.ts';

/**
 * The selection: all kernels, with their normal forms if these are small, or kernels for any number
 * of ranks with one type each. `few` has every fifth of the latter.
 */
export type LibraryScope = 'few' | 'some' | 'all';

/**
 * The result for each kernel. The first line has its effects on memory and its waits, and its
 * normal form follows. Or it has diagnostics.
 */
export type LibraryCaptures = Readonly<Record<string, string>>;

/**
 * The most characters of a printed module for which the normal form is computed. It takes many
 * seconds for large ones.
 */
const SMALL = 5000;

/** The part of a kernel that the build must not change. */
const EFFECT =
  /^(atomic|collective|order|scope|coop)\.|^statement\.(?!assign$|if$|loop$|break$|continue$|block$|leave$|return$)/;

/**
 * Compiles the library's kernels, and those that call its device functions. `see` receives each
 * module.
 */
export async function captureLibrary(
  scope: LibraryScope,
  see: (module: Module) => void = () => {},
): Promise<LibraryCaptures> {
  const found: Record<string, string> = {};
  const modules = scope === 'all' ? await transferModules() : new Map<string, Module>();
  for (const [id, module] of modules) found[id] = describeModule(module, scope);
  const listed = libraryKernels().filter(({ common }) => common || scope === 'all');
  for (const { id, kernel } of scope === 'few' ? listed.filter((_, i) => i % 5 === 0) : listed) {
    const result = analyseKernel(kernel);
    if (result.ok) see(result.module);
    found[id] = result.ok
      ? describeModule(result.module, scope)
      : result.diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n');
  }
  return found;
}

function describeModule(module: Module, scope: LibraryScope): string {
  // Expressions and branches may differ in form. For example, `c ? 1 : 0` equals `+c`, and a return
  // from a loop equals a break.
  const does = [...usedIn(module)].filter((word) => EFFECT.test(word)).toSorted();
  const text = scope === 'all' ? printModule(module) : '';
  const form = text === '' || text.length > SMALL ? '' : printModule(normalise(module));
  return `${does.join(' ')}\n${form}`;
}
