import { debugLog } from '@nccl-ts/core';
import { cacheKey } from './cache.ts';
import { errorsOf } from './compile-errors.ts';
import type { Compiler } from './compiler.ts';
import { ncclIncludes, type Compiled, type CompileJob, type DeviceCompiler } from './device-compiler.ts';
import { ncclHeadersIdentity } from './nccl-headers.ts';
import { nvccCompiler } from './nvcc.ts';

/** The text, and everything else that affects its compilation. */
export interface CompileRequest {
  readonly job: CompileJob;
  /** Included in the cache key, together with the text, the flags and the compiler. */
  readonly key: Readonly<Record<string, string | number>>;
  /**
   * True if a line of the text, from 1, comes from the author, who then has to fix errors there.
   */
  readonly isAuthors: (line: number) => boolean;
}

export type CompileOutcome =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer>; readonly cached: boolean }
  | { readonly ok: false; readonly by: DeviceCompiler; readonly messages: string };

/**
 * Compiles a text, or reads an earlier result of one of the compilers from the cache.
 *
 * If the first compiler fails, its errors decide what follows. If all of them are on the author's
 * lines, they are final. For others, such as headers that NVRTC rejects, the next compiler tries.
 * If it accepts the text, later texts with the same headers skip the first compiler.
 */
export async function compileText(compiler: Compiler, request: CompileRequest): Promise<CompileOutcome> {
  const { cache } = compiler;
  const tools = await Promise.all(compilersOf(compiler).map(async (one) => toolOf(one, request)));
  for (const { key } of tools) {
    const kept = await cache.get(key);
    if (kept !== undefined) return { ok: true, bytes: kept, cached: true };
  }
  const [first, second] = tools;
  if (first === undefined) throw new RangeError('There is no compiler.');
  const only = async (tool: Tool): Promise<CompileOutcome> => outcomeOf(await run(compiler, request, tool), tool);
  if (second === undefined) return only(first);
  if (await isRuledOut(compiler, request.job, first)) return only(second);
  const compiled = await run(compiler, request, first);
  if (compiled.ok || isAuthorsFault(compiled, request)) return outcomeOf(compiled, first);
  const again = await run(compiler, request, second);
  if (again.ok) await ruleOut(compiler, request.job, first, compiled);
  return outcomeOf(again, second);
}

/** A compiler for one text. */
interface Tool {
  readonly compiler: DeviceCompiler;
  readonly identity: string;
  readonly key: string;
}

type Failed = Extract<Compiled, { readonly ok: false }>;

function compilersOf({ compilers, toolkit, milliseconds }: Compiler): readonly DeviceCompiler[] {
  if (compilers !== undefined) return compilers;
  return toolkit.nvcc === undefined ? [] : [nvccCompiler(toolkit.nvcc, toolkit.version, milliseconds)];
}

async function toolOf(compiler: DeviceCompiler, { job, key }: CompileRequest): Promise<Tool> {
  const identity = await compiler.identity();
  const flags = compiler.flags(job).join(' ');
  return { compiler, identity, key: cacheKey({ ...key, text: job.text, flags, compiler: identity }) };
}

async function run({ cache }: Compiler, { job }: CompileRequest, { compiler, key }: Tool): Promise<Compiled> {
  const compiled = await compiler.compile(job);
  if (compiled.ok) await cache.put(key, compiled.bytes);
  return compiled;
}

function outcomeOf(compiled: Compiled, { compiler }: Tool): CompileOutcome {
  if (compiled.ok) return { ok: true, bytes: compiled.bytes, cached: false };
  return { ok: false, by: compiler, messages: compiled.messages };
}

function isAuthorsFault({ because, messages }: Failed, { isAuthors }: CompileRequest): boolean {
  const errors = errorsOf(messages);
  return because === 'text' && errors.length > 0 && errors.every(({ line }) => line !== undefined && isAuthors(line));
}

/**
 * Compilers that do not work, and compilers together with headers that they reject, as far as this
 * process knows.
 */
const ruledOut = new Set<string>();

async function isRuledOut(compiler: Compiler, job: CompileJob, { identity }: Tool): Promise<boolean> {
  if (ruledOut.has(identity)) return true;
  if (ncclIncludes(job.text) === '') return false;
  const key = await refusalKey(compiler, identity);
  if (ruledOut.has(key)) return true;
  if ((await compiler.cache.get(key)) === undefined) return false;
  ruledOut.add(key);
  return true;
}

/** Records that one compiler failed and another did not, if this also concerns other texts. */
async function ruleOut(compiler: Compiler, job: CompileJob, tool: Tool, { because, messages }: Failed): Promise<void> {
  const [first] = errorsOf(messages);
  debugLog('cuda', () => `nvcc compiles what ${tool.compiler.title} does not: ${first?.message ?? messages}`);
  if (because === 'compiler') {
    ruledOut.add(tool.identity);
    return;
  }
  const headers = ncclIncludes(job.text);
  // The only error may be in the rest of the text.
  if (headers === '' || (await tool.compiler.compile({ ...job, text: headers })).ok) return;
  const key = await refusalKey(compiler, tool.identity);
  ruledOut.add(key);
  await compiler.cache.put(key, new TextEncoder().encode(messages));
}

async function refusalKey({ nccl }: Compiler, identity: string): Promise<string> {
  return cacheKey({ kind: 'refused', headers: await ncclHeadersIdentity(nccl), compiler: identity });
}
