import './host-values.test.ts';
