import './nccl-ts-bench.test.ts';
