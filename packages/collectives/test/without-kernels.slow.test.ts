import './without-kernels.test.ts';
