import './products.test.ts';
