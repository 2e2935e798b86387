import type { PtxModule, PtxVariable } from '@nccl-ts/ptx';
import type { ParameterWord } from '../parameter-words.ts';
import { templateArguments } from './element-types.ts';
import { sourceParameters, type SourceKernel } from './source-parameters.ts';
import { sourceStruct, type SourceField } from './source-structs.ts';

/** The kernel as one of the module's source files declares it. */
export function declaredIn(
  { files }: PtxModule,
  title: string,
  count: number,
  source: (path: string) => string | undefined,
): SourceKernel | undefined {
  const name = /(\w+)(?:<.*>)?(?:\(.*\))?$/su.exec(title)?.[1];
  if (name === undefined) return undefined;
  for (const file of files.values()) {
    const text = source(file);
    const declared = text?.includes(name) === true ? sourceParameters(text, name) : undefined;
    if (declared?.parameters.length === count) return declared;
  }
  return undefined;
}

/** The fields of a struct, if a source declares it and they are where the entry reads words. */
export function fieldsIn(
  { files }: PtxModule,
  { length, bytes }: PtxVariable,
  words: readonly ParameterWord[],
  type: string | undefined,
  source: (path: string) => string | undefined,
): { readonly fields?: readonly SourceField[] } {
  const name = type?.replace(/<.*>$/su, '').replace(/^.*::/u, '').trim();
  if (length === undefined || name === undefined || name === '' || name.endsWith('*')) return {};
  const texts = [...textsOf([...files.values()], source)];
  const fields = sourceStruct(texts, name, templateArguments(type ?? ''));
  if (fields === undefined || fields.length === 0 || fields.some(({ offset }) => offset >= bytes)) return {};
  const last = fields[fields.length - 1]?.offset ?? 0;
  const isAt = ({ offset }: ParameterWord): boolean =>
    offset > last || fields.some((one) => offset === one.offset || (one.count !== undefined && offset > one.offset));
  return words.every(isAt) ? { fields } : {};
}

/** The texts of files, and then of the files that they include by name. */
function* textsOf(files: readonly string[], source: (path: string) => string | undefined): Iterable<string> {
  const seen = new Set(files);
  // The headers of CUDA and of the compiler declare no parameters of kernels.
  const own = files.filter(
    (file) => !/\/(?:nvidia\/cu\d+|cuda[-\d.]*\/include|targets\/[^/]*\/include)\/|^\/usr\/include\//u.test(file),
  );
  const texts = own.map((file) => ({ file, text: source(file) }));
  for (const { text } of texts) if (text !== undefined) yield text;
  for (const { file, text } of texts) {
    for (const [, name = ''] of text?.matchAll(/^\s*#\s*include\s+["<]([^">]+)[">]/gmu) ?? []) {
      const folders = file.split('/').slice(0, -1);
      for (let depth = folders.length; depth > Math.max(1, folders.length - MOST_FOLDERS); depth--) {
        const root = folders.slice(0, depth).join('/');
        for (const path of [`${root}/${name}`, `${root}/include/${name}`]) {
          if (seen.has(path) || seen.size > MOST_PATHS) continue;
          seen.add(path);
          const included = source(path);
          if (included !== undefined) yield included;
        }
      }
    }
  }
}

/** An include is looked for in the folder of its file, and in so many above it. */
const MOST_FOLDERS = 6;
const MOST_PATHS = 20_000;
