def custom_kernel(data):
    x, weight, sums, options = data
    sums[...] = (x[:, ::2] + x[:, 1::2]) * weight[:, None] + options["offset"]
    return sums
