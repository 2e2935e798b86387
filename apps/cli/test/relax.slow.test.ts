import './relax.test.ts';
