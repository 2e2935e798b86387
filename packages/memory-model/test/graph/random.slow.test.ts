import './random.test.ts';
