import { splitAtomic } from './atomics.ts';
import { lowerCallFence, weakenCallOrder } from './call-orders.ts';
import { removeCall, removeHalf } from './calls.ts';
import { breakSync } from './meetings.ts';
import type { Operator } from './operator.ts';
import { makePlain, narrowScope, removeFence, weakenOrder } from './orders.ts';
import { changeContext, removeSignal, weakenSignal } from './requests.ts';
import { removeWait, waitForOneLess } from './waits.ts';

/** All operators that break a synchronization. */
export const operators: readonly Operator[] = Object.freeze([
  weakenOrder,
  makePlain,
  splitAtomic,
  narrowScope,
  removeFence,
  breakSync,
  removeWait,
  waitForOneLess,
  removeCall,
  removeHalf,
  weakenCallOrder,
  lowerCallFence,
  weakenSignal,
  removeSignal,
  changeContext,
]);
