import './warpgroup-products.test.ts';
