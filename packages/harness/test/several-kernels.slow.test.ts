import './several-kernels.test.ts';
