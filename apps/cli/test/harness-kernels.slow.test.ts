import './harness-kernels.test.ts';
