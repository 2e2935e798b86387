import type { AtomicOp } from '@nccl-ts/ir';
import type { Ptr } from './value.ts';

type MethodOfPtr<Method extends keyof Ptr> = Method;

/**
 * The atomic methods of pointers. This type does not compile if an atomic operation of the IR has
 * no method.
 */
export type AtomicMethod = MethodOfPtr<`atomic${Capitalize<AtomicOp>}`>;

/** A table with one entry for each atomic method. */
export type AtomicMethodTable<Row> = Readonly<Record<AtomicMethod, Row>>;
