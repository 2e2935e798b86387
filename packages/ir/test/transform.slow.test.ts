import './transform.test.ts';
