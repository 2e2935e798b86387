import { allReduceRMSNormRows, rowExchange } from '@nccl-ts/collectives';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';

/** Sums and normalises tokens. Each thread has one word of 4 floats. */
const normRows = allReduceRMSNormRows({ element: f32, residual: false, weight: false });

/**
 * Like `rmsNormLsa`, but without barriers, and every rank normalises all tokens itself. Each rank
 * stores its parts to all others, and the data signals its own arrival. It works in place.
 */
export const rmsNormPush = kernel(
  {
    name: 'rmsNormPush',
    use: { normRows },
    params: { data: symPtr(f32), tokens: u32, hidden: u32, eps: f32, exchange: rowExchange, comm: devComm },
  },
  ({ normRows }, { data, tokens, hidden, eps, exchange, comm }) => {
    const rows = data.localPtr();
    normRows(comm, exchange, { send: rows, out: rows, rows: tokens, hidden, epsilon: eps });
  },
);
