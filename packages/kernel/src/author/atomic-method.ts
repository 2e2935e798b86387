import type { AtomicOp } from '@nccl-ts/ir';
import type { Ptr } from './value.ts';

type MethodOfPtr<Method extends keyof Ptr> = Method;

/**
 * The methods of pointers that are atomic operations. It does not compile if an operation of the IR
 * has none.
 */
export type AtomicMethod = MethodOfPtr<`atomic${Capitalize<AtomicOp>}`>;

/** A table with a row for each of them. */
export type AtomicMethodTable<Row> = Readonly<Record<AtomicMethod, Row>>;
