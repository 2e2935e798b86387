import './encoder.test.ts';
