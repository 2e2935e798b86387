import type { CallStatement } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { emitExpression } from './emit-expression.ts';
import { bare } from './parentheses.ts';

/** By primitive: the member of the search's result. */
const members: Readonly<Record<string, string>> = Object.freeze({ findWindow: 'window', windowOffset: 'offset' });

/** The primitives that search for the window of a pointer. */
export const windowPrimitives: readonly string[] = Object.freeze(Object.keys(members));

export function isWindowCall(s: CallStatement): boolean {
  return Object.hasOwn(members, s.name);
}

/**
 * Emits the call. `into` is `x = ` if the result is used.
 *
 * The search uses the same table as `ncclFindWindow`. That function does not end if a pointer is in
 * no window, and knows windows only by the address of their registration. Programs here have the
 * addresses of the LSA mapping (`ncclGetLocalPointer`). So this search compares both, and ends at
 * the table's end.
 */
export function emitWindowCall(s: CallStatement, c: CudaEmitContext, into: string): void {
  const [comm = '', pointer = ''] = s.args.map((arg) => bare(emitExpression(arg, c)));
  c.ncclIncludes.add('nccl_device/impl/comm__types.h').add('nccl_device/impl/core__funcs.h');
  c.functions.set('find_window', search);
  c.line(`${into}nts::find_window(${comm}, ${pointer}).${members[s.name] ?? ''};`);
}

const search = `struct window_place {
  ncclWindow_t window;
  unsigned long long offset;
};

__device__ __noinline__ window_place find_window(ncclDevComm const& comm, void const* p) {
  auto const at = reinterpret_cast<unsigned long long>(p);
  for (ncclDevCommWindowTable* table = comm.windowTable; table != nullptr; table = table->next) {
    for (auto const& entry : table->entries) {
      if (entry.window == nullptr) continue;
      unsigned long long const registered = at - entry.base;
      if (registered < entry.size) return {entry.window, registered};
      unsigned long long const mapped = at - reinterpret_cast<unsigned long long>(ncclGetLocalPointer(entry.window, 0));
      if (mapped < entry.size) return {entry.window, mapped};
    }
  }
  __trap();
  return {nullptr, 0};
}`;
