import './calls-by-address.test.ts';
