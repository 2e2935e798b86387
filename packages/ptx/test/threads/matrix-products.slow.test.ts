import './matrix-products.test.ts';
