import './hangs.test.ts';
