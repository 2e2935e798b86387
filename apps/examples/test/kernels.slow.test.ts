import './kernels.test.ts';
