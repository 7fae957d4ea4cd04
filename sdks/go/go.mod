module gatehouse/verify

go 1.19
