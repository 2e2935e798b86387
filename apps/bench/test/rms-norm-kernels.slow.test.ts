import './rms-norm-kernels.test.ts';
