import { NcclError } from '@nccl-ts/core';
import { validate, type Capabilities } from '@nccl-ts/ir';
import { importKernel, parsePtx, renderPtxDiagnostic, type PtxDiagnostic, type PtxModule } from '@nccl-ts/ptx';

/** The stage that a text reached. */
export type TextAnswer =
  /** The text is not a module, and diagnostics say why. */
  | { readonly kind: 'unread' }
  /**
   * The text is a module. This number of its entries are kernels, and diagnostics give the reasons
   * for the others.
   */
  | { readonly kind: 'read'; readonly kernels: number; readonly refused: number }
  /** The result is one that no text may have. */
  | { readonly kind: 'fault'; readonly what: string };

/** The results that a text may have, if any text is allowed. */
const everything: Capabilities = {
  backend: 'test',
  scalars: ['bool', 'u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'u64', 'i64', 'f16', 'bf16', 'f32', 'f64'],
  maxBlockThreads: 1024,
  maxSharedBytes: 2 ** 32,
  divergentWaits: true,
  subgroups: true,
  print: true,
  multimem: true,
  addressPointers: true,
  primitives: [],
};

/** Reads a text and translates all its entries. Reports results that no text may have. */
export function answerOfText(text: string): TextAnswer {
  try {
    const { module, diagnostics } = parsePtx(text, 'mutated.ptx');
    const wrong = diagnostics
      .map((one) => faultOf(one, { name: 'mutated.ptx', text }))
      .find((one) => one !== undefined);
    if (wrong !== undefined) return { kind: 'fault', what: wrong };
    if (module === undefined) {
      return diagnostics.length > 0 ? { kind: 'unread' } : { kind: 'fault', what: 'no module and no diagnostic' };
    }
    return entriesOf(module);
  } catch (error) {
    return { kind: 'fault', what: `parsePtx threw ${traceOf(error)}` };
  }
}

function entriesOf(module: PtxModule): TextAnswer {
  const counts = { kernels: 0, refused: 0 };
  for (const { kind, name, body } of module.functions) {
    if (kind !== 'entry' || body === undefined) continue;
    try {
      const { kernel, diagnostics } = importKernel(module, { entry: name });
      const wrong = diagnostics.map((one) => faultOf(one, module)).find((one) => one !== undefined);
      if (wrong !== undefined) return { kind: 'fault', what: wrong };
      const validation = validate(kernel.compile(), everything);
      const malformed = validation.ok ? [] : validation.diagnostics.filter(({ code }) => code >= 'K4');
      const [first] = malformed;
      if (first !== undefined) return { kind: 'fault', what: `malformed: ${first.code} ${first.message}` };
      counts.kernels++;
    } catch (error) {
      const why = refusalFault(error, module);
      if (why !== undefined) return { kind: 'fault', what: why };
      counts.refused++;
    }
  }
  return { kind: 'read', ...counts };
}

/** Reports an error of `importKernel` that is not a refusal with diagnostics. */
function refusalFault(error: unknown, module: PtxModule): string | undefined {
  if (!(error instanceof NcclError) || error.code !== 'NCCLTS_COMPILE') return `importKernel threw ${traceOf(error)}`;
  const diagnostics: unknown = error.details['diagnostics'];
  if (!Array.isArray(diagnostics) || diagnostics.length === 0) return `no diagnostics: ${error.message}`;
  return diagnostics.map((one: PtxDiagnostic) => faultOf(one, module)).find((one) => one !== undefined);
}

/** Reports diagnostics that lack a required part. */
function faultOf(diagnostic: PtxDiagnostic, module: PtxModule | Pick<PtxModule, 'name' | 'text'>): string | undefined {
  const { code, message, span } = diagnostic;
  const { start, end } = span;
  if (!(start >= 0 && end >= start && end <= module.text.length)) return `${code} spans ${start} to ${end}: ${message}`;
  if (message.trim() === '' || /\bundefined\b|(?<!\.)\bNaN\b|\[object/.test(message)) return `${code} says: ${message}`;
  return renderPtxDiagnostic(diagnostic, module).includes(code) ? undefined : `${code} is not in its text`;
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.includes('/src/'));
  return `${error.name}: ${error.message.split('\n', 1)[0] ?? ''} ${place?.trim().replace(/\S*\/packages\//, '') ?? ''}`;
}
