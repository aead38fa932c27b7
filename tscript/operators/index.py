"""The names of all operators, in resolution order, by module: so a module is imported when an operator of it is used.

`tests/operators/test_table.py` writes this file from the definitions: ``pytest --update``. See
`tscript.definitions.operator_index`.
"""

VISIBLE = """
add.int:int sub.int:int mul.int:int div.int:int floor_divide.int:int remainder.int:int divmod.int:int neg.int:int
positive.int:int abs.int:int min.int:int max.int:int bitwise_not.int:int bitwise_and.int:int bitwise_or.int:int
bitwise_xor.int:int bitwise_left_shift.int:int bitwise_right_shift.int:int not.bool:bool bitwise_and.bool:bool
bitwise_or.bool:bool bitwise_xor.bool:bool pow.int:int pow.mod:int pow.float:float add.float:float sub.float:float
mul.float:float div.float:float floor_divide.float:float remainder.float:float neg.float:float positive.float:float
abs.float:float min.float:float max.float:float divmod.float:float round.int:int round.int_digits:int round.float:float
round.float_digits:float eq.bool:bool ne.bool:bool eq.int:int ne.int:int lt.int:int le.int:int gt.int:int ge.int:int
eq.float:float ne.float:float lt.float:float le.float:float gt.float:float ge.float:float eq.int_float:int
ne.int_float:int lt.int_float:int le.int_float:int gt.int_float:int ge.int_float:int eq.float_int:float
ne.float_int:float lt.float_int:float le.float_int:float gt.float_int:float ge.float_int:float eq.dtype:dtype
ne.dtype:dtype int.int:int int.bool:bool int.float:float float.float:float float.int:int float.bool:bool bool.bool:bool
bool.int:int bool.float:float wrapping_add.int:int wrapping_sub.int:int wrapping_mul.int:int wrapping_shl.int:int |
math_acos:float math_acosh:float math_asin:float math_asinh:float math_atan:float math_atanh:float math_cbrt:float
math_cos:float math_cosh:float math_degrees:float math_erf:float math_erfc:float math_exp:float math_exp2:float
math_expm1:float math_fabs:float math_log:float math_log1p:float math_log2:float math_log10:float math_radians:float
math_sin:float math_sinh:float math_sqrt:float math_tan:float math_tanh:float math_ulp:float math_atan2:float
math_copysign:float math_fmod:float math_hypot:float math_ldexp:float math_log.base:float math_nextafter:float
math_pow:float math_remainder:float math_ceil.int:int math_ceil.float:float math_floor.int:int math_floor.float:float
math_trunc.int:int math_trunc.float:float math_isfinite:float math_isinf:float math_isnan:float math_isclose:float
math_gamma:float math_lgamma:float math_factorial:int math_gcd:int math_isqrt:int math_lcm:int | add:Tensor add_:Tensor
sub:Tensor sub_:Tensor rsub:Tensor mul:Tensor mul_:Tensor div:Tensor div_:Tensor neg:Tensor neg_:Tensor positive:Tensor
abs:Tensor abs_:Tensor square:Tensor square_:Tensor sign:Tensor sign_:Tensor reciprocal:Tensor reciprocal_:Tensor
lerp:Tensor lerp_:Tensor addcmul:Tensor addcmul_:Tensor addcdiv:Tensor addcdiv_:Tensor | floor_divide:Tensor
floor_divide_:Tensor trunc_divide:Tensor trunc_divide_:Tensor remainder:Tensor remainder_:Tensor fmod:Tensor
fmod_:Tensor div.mode:Tensor div_.mode:Tensor numpy_floor_divide:Tensor numpy_remainder:Tensor numpy_fmod:Tensor |
floor:Tensor floor_:Tensor ceil:Tensor ceil_:Tensor trunc:Tensor trunc_:Tensor round:Tensor round_:Tensor frac:Tensor
frac_:Tensor | eq:Tensor eq_:Tensor ne:Tensor ne_:Tensor lt:Tensor lt_:Tensor le:Tensor le_:Tensor gt:Tensor gt_:Tensor
ge:Tensor ge_:Tensor maximum:Tensor maximum_:Tensor minimum:Tensor minimum_:Tensor clamp:Tensor clamp_:Tensor
clamp.min:Tensor clamp_.min:Tensor clamp.max:Tensor clamp_.max:Tensor clamp.max_positional:Tensor
clamp_.max_positional:Tensor clamp_min:Tensor clamp_min_:Tensor clamp_max:Tensor clamp_max_:Tensor isnan:Tensor
isinf:Tensor isfinite:Tensor | where:Tensor where_of:Tensor masked_fill:Tensor masked_fill_:Tensor | logical_and:Tensor
logical_and_:Tensor logical_or:Tensor logical_or_:Tensor logical_xor:Tensor logical_xor_:Tensor logical_not:Tensor
logical_not_:Tensor bitwise_and:Tensor bitwise_and_:Tensor bitwise_or:Tensor bitwise_or_:Tensor bitwise_xor:Tensor
bitwise_xor_:Tensor bitwise_not:Tensor bitwise_not_:Tensor bitwise_left_shift:Tensor bitwise_left_shift_:Tensor
bitwise_right_shift:Tensor bitwise_right_shift_:Tensor | pow:Tensor pow_:Tensor exp:Tensor exp_:Tensor expm1:Tensor
expm1_:Tensor log:Tensor log_:Tensor log1p:Tensor log1p_:Tensor log2:Tensor log2_:Tensor log10:Tensor log10_:Tensor
sqrt:Tensor sqrt_:Tensor rsqrt:Tensor rsqrt_:Tensor erf:Tensor erf_:Tensor | sin:Tensor sin_:Tensor cos:Tensor
cos_:Tensor tanh:Tensor tanh_:Tensor tan:Tensor tan_:Tensor asin:Tensor asin_:Tensor acos:Tensor acos_:Tensor
atan:Tensor atan_:Tensor sinh:Tensor sinh_:Tensor cosh:Tensor cosh_:Tensor asinh:Tensor asinh_:Tensor acosh:Tensor
acosh_:Tensor atanh:Tensor atanh_:Tensor exp2:Tensor exp2_:Tensor atan2:Tensor atan2_:Tensor | to.dtype:Tensor
type:Tensor to.other:Tensor type_as:Tensor to_float:Tensor to_double:Tensor to_half:Tensor to_bfloat16:Tensor
to_int:Tensor to_long:Tensor to_short:Tensor to_char:Tensor to_byte:Tensor to_bool:Tensor to_cfloat:Tensor
to_cdouble:Tensor clone:Tensor copy_:Tensor fill_:Tensor zero_:Tensor | relu:Tensor relu_:Tensor leaky_relu:Tensor
leaky_relu_:Tensor elu:Tensor elu_:Tensor hardtanh:Tensor hardtanh_:Tensor relu6:Tensor relu6_:Tensor hardsigmoid:Tensor
hardsigmoid_:Tensor hardswish:Tensor hardswish_:Tensor sigmoid:Tensor sigmoid_:Tensor silu:Tensor silu_:Tensor
softplus:Tensor softplus_:Tensor log_sigmoid:Tensor log_sigmoid_:Tensor mish:Tensor mish_:Tensor gelu_erf:Tensor
gelu_tanh:Tensor gelu:Tensor glu:Tensor softmin:Tensor softsign:Tensor tanhshrink:Tensor threshold:Tensor
threshold_:Tensor hardshrink:Tensor softshrink:Tensor celu:Tensor celu_:Tensor selu:Tensor selu_:Tensor prelu:Tensor |
amax_or_zero:Tensor either_or:Tensor max_values:Tensor min_values:Tensor sum:Tensor sum.dim:Tensor prod:Tensor
prod.dim:Tensor mean:Tensor mean.dim:Tensor max:Tensor max.dim:Tensor max.other:Tensor amax:Tensor argmax:Tensor
min:Tensor min.dim:Tensor min.other:Tensor amin:Tensor argmin:Tensor any:Tensor any.dim:Tensor all:Tensor all.dim:Tensor
var:Tensor var.dim:Tensor var.correction:Tensor | softmax:Tensor softmax.dtype:Tensor log_softmax:Tensor
log_softmax.dtype:Tensor logsumexp:Tensor | std:Tensor std.dim:Tensor std.correction:Tensor var_mean:Tensor
var_mean.dim:Tensor var_mean.correction:Tensor std_mean:Tensor std_mean.dim:Tensor std_mean.correction:Tensor |
linalg_vector_norm:Tensor norm:Tensor norm.str:Tensor dist:Tensor pairwise_distance:Tensor cosine_similarity:Tensor |
normalize:Tensor layer_norm:Tensor batch_norm:Tensor rms_norm:Tensor | l1_loss:Tensor mse_loss:Tensor
smooth_l1_loss:Tensor huber_loss:Tensor | nll_loss:Tensor cross_entropy:Tensor binary_cross_entropy:Tensor
binary_cross_entropy_with_logits:Tensor kl_div:Tensor multi_margin_loss:Tensor linear_cross_entropy:Tensor |
margin_ranking_loss:Tensor hinge_embedding_loss:Tensor cosine_embedding_loss:Tensor triplet_margin_loss:Tensor
triplet_margin_with_distance_loss:Tensor poisson_nll_loss:Tensor gaussian_nll_loss:Tensor soft_margin_loss:Tensor
multilabel_soft_margin_loss:Tensor | ctc_loss:Tensor ctc_loss.IntList:Tensor multilabel_margin_loss:Tensor |
lstm_cell:Tensor gru_cell:Tensor rnn_tanh_cell:Tensor rnn_relu_cell:Tensor | lstm.input:Tensor lstm.data:Tensor
gru.input:Tensor gru.data:Tensor rnn_tanh.input:Tensor rnn_tanh.data:Tensor rnn_relu.input:Tensor rnn_relu.data:Tensor
lstm.input_list:Tensor lstm.data_list:Tensor lstm.input_list_states:Tensor lstm.data_list_states:Tensor
gru.input_list:Tensor gru.data_list:Tensor rnn_tanh.input_list:Tensor rnn_tanh.data_list:Tensor
rnn_relu.input_list:Tensor rnn_relu.data_list:Tensor | max_unpool1d:Tensor max_unpool2d:Tensor max_unpool3d:Tensor
bilinear:Tensor | transpose:Tensor t:Tensor T:Tensor mT:Tensor permute:Tensor view:Tensor view.dtype:Tensor
view_as:Tensor reshape:Tensor reshape_as:Tensor flatten:Tensor ravel:Tensor unflatten:Tensor squeeze:Tensor
squeeze.dims:Tensor unsqueeze:Tensor numpy_reverse:Tensor expand:Tensor expand_as:Tensor broadcast_to:Tensor
diagonal:Tensor contiguous:Tensor detach:Tensor alias:Tensor | unbind:Tensor split:Tensor split.sizes:Tensor
split_with_sizes:Tensor chunk:Tensor unsafe_chunk:Tensor unsafe_split:Tensor unsafe_split_with_sizes:Tensor
tensor_split:Tensor tensor_split.indices:Tensor hsplit:Tensor hsplit.indices:Tensor vsplit:Tensor vsplit.indices:Tensor
dsplit:Tensor dsplit.indices:Tensor broadcast_tensors:Tensor[] broadcast_tensors.list:list meshgrid:Tensor[]
meshgrid.list:list atleast_1d:Tensor atleast_1d.tensors:Tensor[] atleast_1d.list:list atleast_2d:Tensor
atleast_2d.tensors:Tensor[] atleast_2d.list:list atleast_3d:Tensor atleast_3d.tensors:Tensor[] atleast_3d.list:list |
flip:Tensor fliplr:Tensor flipud:Tensor roll:Tensor repeat:Tensor tile:Tensor repeat_interleave:Tensor tril:Tensor
triu:Tensor movedim:Tensor movedim.several:Tensor hstack:Tensor[] hstack.list:list vstack:Tensor[] vstack.list:list
dstack:Tensor[] dstack.list:list cross:Tensor tensordot:Tensor | einsum:str einsum.one:str einsum.two:str
einsum.three:str einsum.four:str | select.int:Tensor slice.Tensor:Tensor narrow:Tensor index_select:Tensor gather:Tensor
| index_read:Tensor index_write:Tensor index_fill_parts:Tensor row:Tensor index_one:Tensor index_one_:Tensor
index_one_.Scalar:Tensor | true_positions:Tensor scatter_write:Tensor index_put_:Tensor index_put:Tensor nonzero:Tensor
count_nonzero:Tensor count_nonzero.dim:Tensor masked_select:Tensor masked_scatter_:Tensor masked_scatter:Tensor
take:Tensor put_:Tensor put:Tensor take_along_dim:Tensor scatter_.src:Tensor scatter_.value:Tensor
scatter_.reduce:Tensor scatter_.value_reduce:Tensor scatter.src:Tensor scatter.value:Tensor scatter.reduce:Tensor
scatter.value_reduce:Tensor scatter_add_:Tensor scatter_add:Tensor scatter_reduce_:Tensor scatter_reduce:Tensor
index_add_:Tensor index_add:Tensor index_copy_:Tensor index_copy:Tensor index_fill_:Tensor index_fill:Tensor
fill_diagonal_:Tensor select_scatter:Tensor slice_scatter:Tensor diagonal_scatter:Tensor one_hot:Tensor bincount:Tensor
isin:Tensor tril_indices:int triu_indices:int | manual_seed:int initial_seed: rand:int[] randn:int[] rand_like:Tensor
randn_like:Tensor randint:int randint.low:int randint_like:Tensor randint_like.low:Tensor randperm:int bernoulli:Tensor
bernoulli.p:Tensor bernoulli_.Tensor:Tensor bernoulli_:Tensor uniform_:Tensor normal_:Tensor normal.both:Tensor
normal.mean:Tensor normal.std:float normal.size:float exponential_:Tensor cauchy_:Tensor log_normal_:Tensor
geometric_:Tensor random_:Tensor random_.to:Tensor random_.from:Tensor multinomial:Tensor | dropout:Tensor
dropout1d:Tensor dropout2d:Tensor dropout3d:Tensor alpha_dropout:Tensor feature_alpha_dropout:Tensor
gumbel_softmax:Tensor rrelu:Tensor train_dropout:Tensor train_dropout_:Tensor feature_dropout:Tensor
train_alpha_dropout:Tensor train_feature_alpha_dropout:Tensor | linalg_det:Tensor linalg_slogdet:Tensor logdet:Tensor
linalg_inv:Tensor linalg_inv_ex:Tensor linalg_solve:Tensor linalg_lu_factor:Tensor linalg_lu:Tensor
linalg_lu_solve:Tensor linalg_cholesky:Tensor cholesky:Tensor linalg_cholesky_ex:Tensor cholesky_solve:Tensor
cholesky_inverse:Tensor linalg_solve_triangular:Tensor triangular_solve:Tensor | linalg_qr:Tensor qr:Tensor
linalg_eigh:Tensor linalg_eigvalsh:Tensor linalg_eig:Tensor linalg_eigvals:Tensor linalg_svd:Tensor svd:Tensor
linalg_svdvals:Tensor linalg_pinv:Tensor linalg_pinv.atol_rtol_tensor:Tensor linalg_pinv.rcond:Tensor
linalg_pinv.rcond_tensor:Tensor pinverse:Tensor linalg_matrix_rank:Tensor linalg_matrix_rank.atol_rtol_tensor:Tensor
linalg_matrix_rank.tol:Tensor linalg_matrix_rank.tol_tensor:Tensor linalg_lstsq:Tensor | linalg_matrix_norm:Tensor
linalg_matrix_norm.str:Tensor linalg_norm:Tensor linalg_norm.str:Tensor linalg_vecdot:Tensor linalg_tensorinv:Tensor
linalg_tensorsolve:Tensor | linalg_matrix_power:Tensor linalg_matrix_exp:Tensor linalg_cond:Tensor
linalg_cond.p_str:Tensor | linalg_lu_factor_ex:Tensor lu.infos:Tensor lu:Tensor lu_solve:Tensor lu_unpack:Tensor
linalg_solve_ex:Tensor linalg_multi_dot:Tensor[] chain_matmul:Tensor[] linalg_diagonal:Tensor linalg_vander:Tensor |
geqrf:Tensor linalg_householder_product:Tensor orgqr:Tensor ormqr:Tensor svd_lowrank:Tensor pca_lowrank:Tensor |
zeros:int[] ones:int[] empty:int[] full:int[] zeros_like:Tensor ones_like:Tensor empty_like:Tensor full_like:Tensor
new_zeros:Tensor new_ones:Tensor new_empty:Tensor new_full:Tensor full.complex:int[] full_like.complex:Tensor
new_full.complex:Tensor full.Tensor:int[] full_like.Tensor:Tensor new_full.Tensor:Tensor arange:Scalar
arange.start:Scalar arange.start_step:Scalar linspace:Scalar eye:int eye.m:int tensor:Any tensor_of_ints:int[]
tensor_of_floats:float[] cat:Tensor[] stack:Tensor[] | is_contiguous.format:Tensor clone.format:Tensor
contiguous.format:Tensor to.dtype_copy:Tensor to.other_copy:Tensor to.device:Tensor to_float.format:Tensor
to_double.format:Tensor to_half.format:Tensor to_bfloat16.format:Tensor to_int.format:Tensor to_long.format:Tensor
to_short.format:Tensor to_char.format:Tensor to_byte.format:Tensor to_bool.format:Tensor to_cfloat.format:Tensor
to_cdouble.format:Tensor cpu:Tensor cuda:Tensor set_requires_grad:Tensor detach_itself:Tensor is_inference:Tensor
is_pinned:Tensor is_same_size:Tensor is_signed:Tensor is_nonzero:Tensor as_tensor:Tensor asarray:Tensor
as_tensor.data:Any asarray.data:Any new_tensor:Tensor is_tensor:Any type.name:Tensor scalar_tensor:Scalar |
matmul:Tensor mm:Tensor mv:Tensor dot:Tensor bmm:Tensor addmv:Tensor addr:Tensor inner:Tensor trace:Tensor outer:Tensor
linear:Tensor linear.bias:Tensor addmm:Tensor baddbmm:Tensor | embedding:Tensor embedding.short:Tensor
embedding_renorm_:Tensor embedding_bag:Tensor embedding_bag.short:Tensor | scaled_dot_product_attention:Tensor
multi_head_attention_forward:Tensor | store_out:Tensor cast_out:Tensor | size:Tensor size.int:Tensor stride:Tensor
stride.int:Tensor dim:Tensor numel:Tensor storage_offset:Tensor element_size:Tensor is_contiguous:Tensor dtype:Tensor
is_floating_point:Tensor is_complex:Tensor is_complex.dtype:dtype is_floating_point.dtype:dtype is_signed.dtype:dtype
itemsize.dtype:dtype item:Tensor item.int:Tensor item.bool:Tensor item.float:Tensor item.number:Tensor
bool.Tensor:Tensor int.Tensor:Tensor float.Tensor:Tensor len.Tensor:Tensor len.tuple:Any getitem.tuple:Any
getitem.Size:Any | complex:Tensor polar:Tensor view_as_real:Tensor view_as_complex:Tensor real:Tensor imag:Tensor
conj:Tensor adjoint:Tensor H:Tensor vdot:Tensor resolve_conj:Tensor resolve_neg:Tensor is_conj:Tensor is_neg:Tensor
conj_physical:Tensor conj_physical_:Tensor angle:Tensor sgn:Tensor sgn_:Tensor | promote_types:dtype can_cast:dtype
get_default_dtype: finfo:dtype iinfo:dtype result_type:Tensor result_type.Scalar:Tensor result_type.Scalar_Tensor:Scalar
result_type.Scalar_Scalar:Scalar | fft_fft:Tensor fft_ifft:Tensor fft_rfft:Tensor fft_irfft:Tensor fft_hfft:Tensor
fft_ihfft:Tensor fft_fftfreq:int fft_rfftfreq:int | fft_fftn:Tensor fft_ifftn:Tensor fft_rfftn:Tensor fft_irfftn:Tensor
fft_hfftn:Tensor fft_ihfftn:Tensor fft_fft2:Tensor fft_ifft2:Tensor fft_rfft2:Tensor fft_irfft2:Tensor fft_hfft2:Tensor
fft_ihfft2:Tensor fft_fftshift:Tensor fft_ifftshift:Tensor | hann_window:int hamming_window:int blackman_window:int
bartlett_window:int kaiser_window:int stft:Tensor istft:Tensor | window_bartlett:int window_blackman:int
window_cosine:int window_exponential:int window_gaussian:int window_general_cosine:int window_general_hamming:int
window_hamming:int window_hann:int window_kaiser:int window_nuttall:int | constant_pad_nd:Tensor
constant_pad_nd.complex:Tensor constant_pad_nd.tensor:Tensor pad:Tensor | conv1d:Tensor conv1d.padding:Tensor
conv_transpose1d:Tensor conv2d:Tensor conv2d.padding:Tensor conv_transpose2d:Tensor conv3d:Tensor conv3d.padding:Tensor
conv_transpose3d:Tensor convolution:Tensor im2col:Tensor col2im:Tensor | max_pool1d.indices:Tensor max_pool1d:Tensor
max_pool1d_with_indices:Tensor avg_pool1d:Tensor adaptive_avg_pool1d:Tensor adaptive_avg_pool1d.some:Tensor
adaptive_max_pool1d.indices:Tensor adaptive_max_pool1d:Tensor adaptive_max_pool1d.some_indices:Tensor
adaptive_max_pool1d.some:Tensor adaptive_max_pool1d_with_indices:Tensor max_pool2d.indices:Tensor max_pool2d:Tensor
max_pool2d_with_indices:Tensor avg_pool2d:Tensor adaptive_avg_pool2d:Tensor adaptive_avg_pool2d.some:Tensor
adaptive_max_pool2d.indices:Tensor adaptive_max_pool2d:Tensor adaptive_max_pool2d.some_indices:Tensor
adaptive_max_pool2d.some:Tensor adaptive_max_pool2d_with_indices:Tensor max_pool3d.indices:Tensor max_pool3d:Tensor
max_pool3d_with_indices:Tensor avg_pool3d:Tensor adaptive_avg_pool3d:Tensor adaptive_avg_pool3d.some:Tensor
adaptive_max_pool3d.indices:Tensor adaptive_max_pool3d:Tensor adaptive_max_pool3d.some_indices:Tensor
adaptive_max_pool3d.some:Tensor adaptive_max_pool3d_with_indices:Tensor | fractional_max_pool2d.indices:Tensor
fractional_max_pool2d:Tensor fractional_max_pool2d_with_indices:Tensor fractional_max_pool3d.indices:Tensor
fractional_max_pool3d:Tensor fractional_max_pool3d_with_indices:Tensor | interpolate:Tensor interpolate.scales:Tensor
upsample_nearest:Tensor upsample_bilinear:Tensor upsample_nearest.scales:Tensor upsample_bilinear.scales:Tensor
pixel_shuffle:Tensor pixel_unshuffle:Tensor channel_shuffle:Tensor group_norm:Tensor instance_norm:Tensor
local_response_norm:Tensor lp_pool1d:Tensor lp_pool2d:Tensor lp_pool3d:Tensor | batch_norm.running:Tensor
instance_norm.running:Tensor native_layer_norm:Tensor native_group_norm:Tensor native_batch_norm.running:Tensor
native_batch_norm:Tensor | grid_sample:Tensor grid_sampler:Tensor grid_sampler_2d:Tensor grid_sampler_3d:Tensor
affine_grid:Tensor | str.int:int repr.int:int str.float:float repr.float:float str.bool:bool repr.bool:bool
str.complex:complex repr.complex:complex str.None:None repr.None:None format.int:int format.float:float format.bool:bool
format.complex:complex format.str:str str.Tensor:Tensor str.item:Tensor repr.Tensor:Tensor repr.item:Tensor
format.Tensor:Tensor percent.int:int percent.float:float percent.str:str hex.int:int oct.int:int bin.int:int int.str:str
float.str:str | len.list:list getitem.list:list setitem.list:list delitem.list:list slice.list:list set_slice.list:list
delete_slice.list:list append.list:list extend.list:list insert.list:list pop.list:list remove.list:list clear.list:list
reserve.list:list reverse.list:list sort.list:list iadd.list:list imul.list:list permute.list:list index.list:list
tuple_index.list:list count.list:list contains.list:list copy.list:list add.list:list mul.list:list eq.list:list
ne.list:list lt.list:list le.list:list gt.list:list ge.list:list to_list.list:list to_tuple.list:list sorted.list:list
argsort.list:list take.list:list argmin.list:list argmax.list:list min.list:list max.list:list sum.list_int:list
sum.list_float:list | len.dict:dict getitem.dict:dict setitem.dict:dict delitem.dict:dict contains.dict:dict
get.dict:dict get.dict_default:dict pop.dict:dict pop.dict_default:dict popitem.dict:dict setdefault.dict:dict
update.dict:dict clear.dict:dict ior.dict:dict copy.dict:dict bitwise_or.dict:dict eq.dict:dict ne.dict:dict
keys.dict:dict values.dict:dict items.dict:dict fromkeys.list:list to_dict.list:list | len.set:set contains.set:set
add.set:set discard.set:set remove.set:set pop.set:set clear.set:set update.set:set intersection_update.set:set
difference_update.set:set symmetric_difference_update.set:set ior.set:set iand.set:set isub.set:set ixor.set:set
copy.set:set union.set:set bitwise_or.set:set intersection.set:set bitwise_and.set:set difference.set:set sub.set:set
symmetric_difference.set:set bitwise_xor.set:set issubset.set:set issuperset.set:set isdisjoint.set:set eq.set:set
ne.set:set le.set:set lt.set:set ge.set:set gt.set:set to_set.list:list to_list.set:set | next_entry.dict:dict
entry_key.dict:dict next_entry.set:set entry_key.set:set entry_value.dict:dict | cat.list:list stack.list:list
list_size:list list_tensor.int:list list_tensor.float:list | complex.parts:float real.complex:complex
imag.complex:complex bytes.list:list | hash.any:Any eq.any:Any ne.any:Any lt.any:Any le.any:Any gt.any:Any ge.any:Any
repr.any:Any str.any:Any | print:str | add.str:str add.bytes:bytes mul.str:str mul.bytes:bytes mul.int_str:int
mul.int_bytes:int eq.str:str eq.bytes:bytes ne.str:str ne.bytes:bytes lt.str:str lt.bytes:bytes le.str:str
le.bytes:bytes gt.str:str gt.bytes:bytes ge.str:str ge.bytes:bytes contains.str:str contains.bytes:bytes
contains.byte:bytes getitem.str:str getitem.bytes:bytes slice.str:str slice.bytes:bytes len.str:str len.bytes:bytes
bool.str:str bool.bytes:bytes find.str:str find.bytes:bytes rfind.str:str rfind.bytes:bytes index.str:str
index.bytes:bytes rindex.str:str rindex.bytes:bytes count.str:str count.bytes:bytes startswith.str:str
startswith.bytes:bytes endswith.str:str endswith.bytes:bytes replace.str:str replace.bytes:bytes removeprefix.str:str
removeprefix.bytes:bytes removesuffix.str:str removesuffix.bytes:bytes split.str:str split.bytes:bytes rsplit.str:str
rsplit.bytes:bytes splitlines.str:str splitlines.bytes:bytes partition.str:str partition.bytes:bytes rpartition.str:str
rpartition.bytes:bytes strip.str:str strip.bytes:bytes lstrip.str:str lstrip.bytes:bytes rstrip.str:str
rstrip.bytes:bytes join.str:str join.bytes:bytes encode.str:str decode.bytes:bytes hex.bytes:bytes ord.str:str
ord.bytes:bytes hash.str:str hash.bytes:bytes chr.int:int | upper.str:str upper.bytes:bytes lower.str:str
lower.bytes:bytes capitalize.str:str capitalize.bytes:bytes title.str:str title.bytes:bytes swapcase.str:str
swapcase.bytes:bytes casefold.str:str isalpha.str:str isalpha.bytes:bytes isdigit.str:str isdigit.bytes:bytes
isalnum.str:str isalnum.bytes:bytes isspace.str:str isspace.bytes:bytes isascii.str:str isascii.bytes:bytes
isupper.str:str isupper.bytes:bytes islower.str:str islower.bytes:bytes istitle.str:str istitle.bytes:bytes
isdecimal.str:str isnumeric.str:str isidentifier.str:str isprintable.str:str center.str:str center.bytes:bytes
ljust.str:str ljust.bytes:bytes rjust.str:str rjust.bytes:bytes zfill.str:str zfill.bytes:bytes expandtabs.str:str
expandtabs.bytes:bytes repr.str:str repr.bytes:bytes ascii.str:str ascii.bytes:bytes |  |  |  |  |  |  |  |  |  |  |  |
|  |  |  | cumsum:Tensor cumsum_:Tensor cumprod:Tensor cumprod_:Tensor logcumsumexp:Tensor cummax:Tensor cummin:Tensor |
sort:Tensor sort.stable:Tensor argsort:Tensor msort:Tensor topk:Tensor kthvalue:Tensor median:Tensor median.dim:Tensor
nanmedian:Tensor nanmedian.dim:Tensor mode:Tensor unique:Tensor unique.inverse:Tensor unique.counts:Tensor
unique.both:Tensor unique_consecutive:Tensor unique_consecutive.inverse:Tensor unique_consecutive.counts:Tensor
unique_consecutive.both:Tensor searchsorted:Tensor searchsorted.Scalar:Tensor bucketize:Tensor bucketize.Scalar:Scalar |
erfc:Tensor erfc_:Tensor erfcx:Tensor erfinv:Tensor erfinv_:Tensor ndtr:Tensor ndtri:Tensor log_ndtr:Tensor
lgamma:Tensor lgamma_:Tensor digamma:Tensor digamma_:Tensor i0:Tensor i0_:Tensor i0e:Tensor i1:Tensor i1e:Tensor
xlogy:Tensor xlogy_:Tensor xlog1py:Tensor logaddexp:Tensor logaddexp2:Tensor hypot:Tensor hypot_:Tensor copysign:Tensor
copysign_:Tensor fmax:Tensor fmin:Tensor heaviside:Tensor heaviside_:Tensor logit:Tensor sinc:Tensor sinc_:Tensor
entr:Tensor nan_to_num:Tensor deg2rad:Tensor rad2deg:Tensor signbit:Tensor isposinf:Tensor isneginf:Tensor
float_power:Tensor float_power.Scalar:Tensor gcd:Tensor lcm:Tensor zeta:Tensor polygamma:int polygamma_of:Tensor
mvlgamma:Tensor | bessel_j0:Tensor bessel_j1:Tensor bessel_y0:Tensor bessel_y1:Tensor modified_bessel_k0:Tensor
modified_bessel_k1:Tensor scaled_modified_bessel_k0:Tensor scaled_modified_bessel_k1:Tensor spherical_bessel_j0:Tensor
airy_ai:Tensor | chebyshev_polynomial_t:Tensor chebyshev_polynomial_u:Tensor chebyshev_polynomial_v:Tensor
chebyshev_polynomial_w:Tensor hermite_polynomial_h:Tensor hermite_polynomial_he:Tensor laguerre_polynomial_l:Tensor
legendre_polynomial_p:Tensor shifted_chebyshev_polynomial_t:Tensor shifted_chebyshev_polynomial_u:Tensor
shifted_chebyshev_polynomial_v:Tensor shifted_chebyshev_polynomial_w:Tensor | diff:Tensor trapezoid:Tensor
trapezoid.x:Tensor cumulative_trapezoid:Tensor cumulative_trapezoid.x:Tensor nansum:Tensor nanmean:Tensor aminmax:Tensor
quantile:Tensor quantile.Scalar:Tensor nanquantile:Tensor nanquantile.Scalar:Tensor cov:Tensor corrcoef:Tensor
histc:Tensor renorm:Tensor | diag:Tensor diagflat:Tensor diag_embed:Tensor block_diag:Tensor[] block_diag.list:list |
equal:Tensor isclose:Tensor allclose:Tensor isreal:Tensor | rot90:Tensor column_stack:Tensor[] column_stack.list:list
kron:Tensor vander:Tensor cartesian_prod:Tensor[] cartesian_prod.list:list combinations:Tensor logspace:float
linspace.Tensor_Tensor:Tensor linspace.Tensor_Scalar:Tensor linspace.Scalar_Tensor:Scalar logspace.Tensor_Tensor:Tensor
logspace.Tensor_Scalar:Tensor logspace.Scalar_Tensor:Scalar | as_strided:Tensor unfold:Tensor as_strided_scatter:Tensor
empty_strided:int[] new_empty_strided:Tensor empty_permuted:int[] | segment_reduce:Tensor
_convert_indices_from_coo_to_csr:Tensor _convert_indices_from_csr_to_coo:Tensor | alias_copy:Tensor detach_copy:Tensor
as_strided_copy:Tensor diagonal_copy:Tensor expand_copy:Tensor permute_copy:Tensor select_copy:Tensor slice_copy:Tensor
split_copy:Tensor split_with_sizes_copy:Tensor squeeze_copy:Tensor squeeze_copy.dims:Tensor t_copy:Tensor
transpose_copy:Tensor unbind_copy:Tensor unfold_copy:Tensor unsqueeze_copy:Tensor view_copy:Tensor
view_as_real_copy:Tensor view_as_complex_copy:Tensor | nonzero.tuple:Tensor where.true:Tensor unravel_index:Tensor
index_reduce_:Tensor index_reduce:Tensor repeat_interleave.Tensor:Tensor repeat_interleave.self_Tensor:Tensor
narrow.Tensor:Tensor narrow_copy:Tensor tensor_split.tensor_indices_or_sections:Tensor sum_to_size:Tensor
unique.dim:Tensor unique_consecutive.dim:Tensor unique.dim_inverse:Tensor unique_consecutive.dim_inverse:Tensor
unique.dim_counts:Tensor unique_consecutive.dim_counts:Tensor unique.dim_both:Tensor unique_consecutive.dim_both:Tensor
| cdist:Tensor pdist:Tensor addbmm:Tensor gradient:Tensor gradient.dims:Tensor gradient.spacings:Tensor
gradient.tensors:Tensor gradient.list:Tensor | nextafter:Tensor nextafter_:Tensor frexp:Tensor ldexp:Tensor
igamma:Tensor igammac:Tensor | tril_:Tensor triu_:Tensor deg2rad_:Tensor rad2deg_:Tensor logit_:Tensor
nan_to_num_:Tensor gcd_:Tensor lcm_:Tensor ldexp_:Tensor float_power_:Tensor float_power_.Scalar:Tensor mvlgamma_:Tensor
polygamma_:Tensor renorm_:Tensor addmm_:Tensor addmv_:Tensor addr_:Tensor baddbmm_:Tensor addbmm_:Tensor igamma_:Tensor
igammac_:Tensor resize_:Tensor resize_as_:Tensor | tensordot.dims:Tensor | fill:Tensor fill.Tensor:Tensor
index_fill_.Tensor:Tensor index_fill.Tensor:Tensor round.decimals:Tensor round_.decimals:Tensor nonzero_static:Tensor
broadcast_shapes:int[1] broadcast_shapes.two:int[1] broadcast_shapes.three:int[1] broadcast_shapes.four:int[1] |
relu.inplace:Tensor relu6.inplace:Tensor hardtanh.inplace:Tensor elu.inplace:Tensor selu.inplace:Tensor
celu.inplace:Tensor leaky_relu.inplace:Tensor hardsigmoid.inplace:Tensor hardswish.inplace:Tensor silu.inplace:Tensor
mish.inplace:Tensor threshold.inplace:Tensor | masked_sum:Tensor masked_prod:Tensor masked_amax:Tensor
masked_amin:Tensor masked_mean:Tensor masked_logsumexp:Tensor masked_argmax:Tensor masked_argmin:Tensor
masked_median:Tensor masked_norm:Tensor masked_var:Tensor masked_std:Tensor masked_cumsum:Tensor masked_cumprod:Tensor
masked_softmax:Tensor masked_log_softmax:Tensor masked_softmin:Tensor masked_normalize:Tensor masked_logaddexp:Tensor |
linalg_ldl_factor:Tensor linalg_ldl_factor_ex:Tensor linalg_ldl_solve:Tensor | torchvision_nms:Tensor
torchvision_roi_align:Tensor torchvision_roi_pool:Tensor torchvision_ps_roi_align:Tensor torchvision_ps_roi_pool:Tensor
torchvision_deform_conv2d:Tensor | torchaudio_lfilter_core_loop:Tensor torchaudio_overdrive_core_loop:Tensor |
histogram.tensor:Tensor histogram.count:Tensor histogramdd.int_bins:Tensor histogramdd:Tensor
histogramdd.TensorList_bins:Tensor | hash_tensor:Tensor
"""

HIDDEN = """
fits.int pow.int_as_float wrapping_pow.int wrapping_neg.int wrapping_abs.int wrapping_floor_divide.int
wrapping_divmod.int wrapping_round.int_digits | extern.exp extern.exp2 extern.expm1 extern.log extern.log2 extern.log10
extern.log1p extern.sin extern.cos extern.tan extern.asin extern.acos extern.atan extern.atan2 extern.sinh extern.cosh
extern.tanh extern.asinh extern.acosh extern.atanh extern.erf extern.erfc extern.fmod extern.pow extern.remainder
extern.cbrt extern.nextafter extern.logb extern.ldexp wrapping_math_factorial wrapping_math_gcd wrapping_math_lcm |  |
check_divisor check_divisor.int |  |  |  |  | check_exponent |  |  |  | rows_fit columns_fit shapes_fit | soften_lines |
|  |  |  |  |  | aligned_losses |  | lstm_layers recurrent_layers lstm_layers.list recurrent_layers.list |  |  | grid
grid.list at_least at_least.list |  |  |  |  | corner_places | random_fill_ random_normal_ random_seed random_initial
random_new random_system_seed |  | lapack_lu lapack_lu_solve lapack_ldl lapack_ldl_solve lapack_cholesky lapack_qr
lapack_q lapack_q_times lapack_eigh lapack_svd lapack_eig lapack_triangular |  |  |  |  |  |  | check_device device.str
| steady |  | attend |  | slice.Size add.Size eq.Size |  |  | fourier_rows as_complex |  |  |  | pad_from_itself |
convolve convolve_transposed conv2d_fast conv2d_fast.padding | pool pool_positions adaptive_mean adaptive_positions |
fractional_positions | resize |  | sample_grid |  | wrapping_sum.list_int |  |  | has_item.list |  |  |  | flush warn |
character.str code_at.str isalnum.code isalpha.code isdigit.code isspace.code next_piece.str |  | machine.add
machine.sub machine.mul machine.add_overflows machine.sub_overflows machine.mul_overflows machine.div machine.quot
machine.rem machine.neg machine.and machine.or machine.xor machine.not machine.shl machine.shr machine.unsigned_less
machine.unsigned_shr machine.unsigned_high machine.eq machine.ne machine.lt machine.le machine.gt machine.ge
machine.select machine.likely machine.sqrt machine.fabs machine.copysign machine.floor machine.ceil machine.trunc
machine.rint machine.fmuladd machine.scaled machine.real machine.imag machine.complex machine.convert machine.fitting
machine.bitcast machine.load machine.store machine.offset machine.field machine.pointer_cast machine.address
machine.pointer machine.stack machine.symbol machine.function machine.text machine.frame_address machine.counter
machine.thread_number machine.vector_bytes machine.pause machine.context machine.memcpy machine.memset
machine.atomic_add machine.atomic_add_relaxed machine.atomic_add_release machine.atomic_cas machine.atomic_load
machine.atomic_store machine.atomic_store_relaxed machine.atomic_release machine.atomic_acquire machine.atomic_relaxed
tuple.make tuple.get | wait | find.cache keep.cache clear.cache counts.cache | upcast downcast box unbox is_none
is_instance | list.make dict.make set.make | object.make get_field.object set_field.object is_same named.make enum.index
enum.member class_name.object same_class.object is_class.object | new.exception chain.exception str.exception
repr.exception args.exception | moves.table version.table set_hashes.table next_place.table next_entry.table
entry_at.table entry.table is_entry.table entry_hash.table add_entry.table set_entry.table drop_entry.table
missing.table | retain release | scalar_type apart distinct_places | item_in.list set_item_in.list code_in.str |
append_to.str append_to.bytes append_to.list | element set_element element_index element_index.size select_index
select_index.size element_in set_element_in element_in.dense set_element_in.dense set_element_in.writable check_writable
tensor.data tensor.stride tensor.size tensor.writable element_at set_element_at local local.element local.set_element
scalar.convert scalar.bool scalar.int scalar.float scalar.machine scalar.of | numpy.call random.double random.normal
random.exponential random.below random.legacy_double random.legacy_normal random.legacy_exponential random.legacy_below
random.stream random.begin random.numpy_stream random.numpy_begin | sort_rows argsort_rows | scan_sum_floats
scan_sum_ints scan_sum_complex scan_prod_floats scan_prod_ints scan_prod_complex scan_log_sum | sort_dim search_sorted
unique_runs |  |  | polynomial_values |  |  |  |  |  |  |  |  |  | frexp_mantissa frexp_exponent incomplete_gamma |  |
|  |  |  |  |  |  |  |
"""

PATHS = """
add: torch.add Tensor.add sub: torch.sub Tensor.sub torch.subtract Tensor.subtract mul: torch.mul Tensor.mul
torch.multiply Tensor.multiply div: torch.div Tensor.div torch.divide Tensor.divide torch.true_divide Tensor.true_divide
floor_divide: torch.floor_divide Tensor.floor_divide remainder: torch.remainder Tensor.remainder neg: torch.neg
Tensor.neg torch.negative Tensor.negative positive: torch.positive Tensor.positive abs: torch.abs Tensor.abs
torch.absolute Tensor.absolute min: torch.min Tensor.min max: torch.max Tensor.max bitwise_not: torch.bitwise_not
Tensor.bitwise_not bitwise_and: torch.bitwise_and Tensor.bitwise_and bitwise_or: torch.bitwise_or Tensor.bitwise_or
bitwise_xor: torch.bitwise_xor Tensor.bitwise_xor bitwise_left_shift: torch.bitwise_left_shift Tensor.bitwise_left_shift
bitwise_right_shift: torch.bitwise_right_shift Tensor.bitwise_right_shift pow: torch.pow Tensor.pow round: torch.round
Tensor.round torch.special.round eq: torch.eq Tensor.eq ne: torch.ne Tensor.ne torch.not_equal Tensor.not_equal lt:
torch.lt Tensor.lt torch.less Tensor.less le: torch.le Tensor.le torch.less_equal Tensor.less_equal gt: torch.gt
Tensor.gt torch.greater Tensor.greater ge: torch.ge Tensor.ge torch.greater_equal Tensor.greater_equal math_acos:
math.acos math_acosh: math.acosh math_asin: math.asin math_asinh: math.asinh math_atan: math.atan math_atanh: math.atanh
math_cbrt: math.cbrt math_cos: math.cos math_cosh: math.cosh math_degrees: math.degrees math_erf: math.erf math_erfc:
math.erfc math_exp: math.exp math_exp2: math.exp2 math_expm1: math.expm1 math_fabs: math.fabs math_log: math.log
math_log1p: math.log1p math_log2: math.log2 math_log10: math.log10 math_radians: math.radians math_sin: math.sin
math_sinh: math.sinh math_sqrt: math.sqrt math_tan: math.tan math_tanh: math.tanh math_ulp: math.ulp math_atan2:
math.atan2 math_copysign: math.copysign math_fmod: math.fmod math_hypot: math.hypot math_ldexp: math.ldexp
math_nextafter: math.nextafter math_pow: math.pow math_remainder: math.remainder math_ceil: math.ceil math_floor:
math.floor math_trunc: math.trunc math_isfinite: math.isfinite math_isinf: math.isinf math_isnan: math.isnan
math_isclose: math.isclose math_gamma: math.gamma math_lgamma: math.lgamma math_factorial: math.factorial math_gcd:
math.gcd math_isqrt: math.isqrt math_lcm: math.lcm add_: tscript.add_ Tensor.add_ sub_: tscript.sub_ Tensor.sub_
tscript.subtract_ Tensor.subtract_ rsub: torch.rsub Tensor.rsub mul_: tscript.mul_ Tensor.mul_ tscript.multiply_
Tensor.multiply_ div_: tscript.div_ Tensor.div_ tscript.divide_ Tensor.divide_ tscript.true_divide_ Tensor.true_divide_
neg_: torch.neg_ Tensor.neg_ torch.negative_ Tensor.negative_ abs_: torch.abs_ Tensor.abs_ Tensor.absolute_
tscript.absolute_ square: torch.square Tensor.square square_: torch.square_ Tensor.square_ sign: torch.sign Tensor.sign
sign_: Tensor.sign_ tscript.sign_ reciprocal: torch.reciprocal Tensor.reciprocal reciprocal_: torch.reciprocal_
Tensor.reciprocal_ lerp: torch.lerp Tensor.lerp lerp_: tscript.lerp_ Tensor.lerp_ addcmul: torch.addcmul Tensor.addcmul
addcmul_: tscript.addcmul_ Tensor.addcmul_ addcdiv: torch.addcdiv Tensor.addcdiv addcdiv_: tscript.addcdiv_
Tensor.addcdiv_ floor_divide_: tscript.floor_divide_ Tensor.floor_divide_ trunc_divide: tscript.trunc_divide
Tensor.trunc_divide trunc_divide_: tscript.trunc_divide_ Tensor.trunc_divide_ remainder_: tscript.remainder_
Tensor.remainder_ fmod: torch.fmod Tensor.fmod fmod_: tscript.fmod_ Tensor.fmod_ floor: torch.floor Tensor.floor floor_:
torch.floor_ Tensor.floor_ ceil: torch.ceil Tensor.ceil ceil_: torch.ceil_ Tensor.ceil_ trunc: torch.trunc Tensor.trunc
torch.fix Tensor.fix trunc_: torch.trunc_ Tensor.trunc_ torch.fix_ Tensor.fix_ round_: torch.round_ Tensor.round_
tscript.round_ frac: torch.frac Tensor.frac frac_: torch.frac_ Tensor.frac_ eq_: tscript.eq_ Tensor.eq_ ne_: tscript.ne_
Tensor.ne_ tscript.not_equal_ Tensor.not_equal_ lt_: tscript.lt_ Tensor.lt_ tscript.less_ Tensor.less_ le_: tscript.le_
Tensor.le_ tscript.less_equal_ Tensor.less_equal_ gt_: tscript.gt_ Tensor.gt_ tscript.greater_ Tensor.greater_ ge_:
tscript.ge_ Tensor.ge_ tscript.greater_equal_ Tensor.greater_equal_ maximum: torch.maximum Tensor.maximum maximum_:
tscript.maximum_ Tensor.maximum_ minimum: torch.minimum Tensor.minimum minimum_: tscript.minimum_ Tensor.minimum_ clamp:
torch.clamp Tensor.clamp torch.clip Tensor.clip clamp_: tscript.clamp_ Tensor.clamp_ tscript.clip_ Tensor.clip_
torch.clamp_ torch.clip_ clamp_min: torch.clamp_min Tensor.clamp_min clamp_min_: tscript.clamp_min_ Tensor.clamp_min_
torch.clamp_min_ clamp_max: torch.clamp_max Tensor.clamp_max clamp_max_: tscript.clamp_max_ Tensor.clamp_max_
torch.clamp_max_ isnan: torch.isnan Tensor.isnan isinf: torch.isinf Tensor.isinf isfinite: torch.isfinite
Tensor.isfinite where: torch.where where_of: Tensor.where masked_fill: torch.masked_fill Tensor.masked_fill
masked_fill_: tscript.masked_fill_ Tensor.masked_fill_ logical_and: torch.logical_and Tensor.logical_and logical_and_:
tscript.logical_and_ Tensor.logical_and_ logical_or: torch.logical_or Tensor.logical_or logical_or_: tscript.logical_or_
Tensor.logical_or_ logical_xor: torch.logical_xor Tensor.logical_xor logical_xor_: tscript.logical_xor_
Tensor.logical_xor_ logical_not: torch.logical_not Tensor.logical_not logical_not_: Tensor.logical_not_
tscript.logical_not_ bitwise_and_: tscript.bitwise_and_ Tensor.bitwise_and_ bitwise_or_: tscript.bitwise_or_
Tensor.bitwise_or_ bitwise_xor_: tscript.bitwise_xor_ Tensor.bitwise_xor_ bitwise_not_: Tensor.bitwise_not_
tscript.bitwise_not_ bitwise_left_shift_: tscript.bitwise_left_shift_ Tensor.bitwise_left_shift_ bitwise_right_shift_:
tscript.bitwise_right_shift_ Tensor.bitwise_right_shift_ pow_: tscript.pow_ Tensor.pow_ exp: torch.exp Tensor.exp exp_:
torch.exp_ Tensor.exp_ expm1: torch.expm1 Tensor.expm1 torch.special.expm1 expm1_: torch.expm1_ Tensor.expm1_
tscript.expm1_ log: torch.log Tensor.log log_: torch.log_ Tensor.log_ log1p: torch.log1p Tensor.log1p
torch.special.log1p log1p_: torch.log1p_ Tensor.log1p_ tscript.log1p_ log2: torch.log2 Tensor.log2 log2_: torch.log2_
Tensor.log2_ log10: torch.log10 Tensor.log10 log10_: torch.log10_ Tensor.log10_ sqrt: torch.sqrt Tensor.sqrt sqrt_:
torch.sqrt_ Tensor.sqrt_ rsqrt: torch.rsqrt Tensor.rsqrt rsqrt_: torch.rsqrt_ Tensor.rsqrt_ erf: torch.erf Tensor.erf
torch.special.erf erf_: torch.erf_ Tensor.erf_ tscript.erf_ sin: torch.sin Tensor.sin sin_: torch.sin_ Tensor.sin_ cos:
torch.cos Tensor.cos cos_: torch.cos_ Tensor.cos_ tanh: torch.tanh Tensor.tanh torch.nn.functional.tanh tanh_:
torch.tanh_ Tensor.tanh_ tscript.tanh_ tan: torch.tan Tensor.tan tan_: torch.tan_ Tensor.tan_ asin: torch.asin
Tensor.asin torch.arcsin Tensor.arcsin asin_: torch.asin_ Tensor.asin_ torch.arcsin_ Tensor.arcsin_ acos: torch.acos
Tensor.acos torch.arccos Tensor.arccos acos_: torch.acos_ Tensor.acos_ torch.arccos_ Tensor.arccos_ atan: torch.atan
Tensor.atan torch.arctan Tensor.arctan atan_: torch.atan_ Tensor.atan_ torch.arctan_ Tensor.arctan_ sinh: torch.sinh
Tensor.sinh sinh_: torch.sinh_ Tensor.sinh_ cosh: torch.cosh Tensor.cosh cosh_: torch.cosh_ Tensor.cosh_ asinh:
torch.asinh Tensor.asinh torch.arcsinh Tensor.arcsinh asinh_: torch.asinh_ Tensor.asinh_ torch.arcsinh_ Tensor.arcsinh_
acosh: torch.acosh Tensor.acosh torch.arccosh Tensor.arccosh acosh_: torch.acosh_ Tensor.acosh_ torch.arccosh_
Tensor.arccosh_ atanh: torch.atanh Tensor.atanh torch.arctanh Tensor.arctanh atanh_: torch.atanh_ Tensor.atanh_
torch.arctanh_ Tensor.arctanh_ exp2: torch.exp2 Tensor.exp2 exp2_: torch.exp2_ Tensor.exp2_ atan2: torch.atan2
Tensor.atan2 torch.arctan2 Tensor.arctan2 atan2_: tscript.atan2_ Tensor.atan2_ tscript.arctan2_ Tensor.arctan2_ to:
Tensor.to type: Tensor.type type_as: tscript.type_as Tensor.type_as to_float: Tensor.float to_double: Tensor.double
to_half: Tensor.half to_bfloat16: Tensor.bfloat16 to_int: Tensor.int to_long: Tensor.long to_short: Tensor.short
to_char: Tensor.char to_byte: Tensor.byte to_bool: Tensor.bool to_cfloat: Tensor.cfloat to_cdouble: Tensor.cdouble
clone: torch.clone Tensor.clone copy_: tscript.copy_ Tensor.copy_ fill_: torch.fill_ Tensor.fill_ zero_: torch.zero_
Tensor.zero_ relu: torch.relu Tensor.relu torch.nn.functional.relu relu_: torch.relu_ Tensor.relu_ tscript.relu_
torch.nn.functional.relu_ leaky_relu: torch.nn.functional.leaky_relu Tensor.leaky_relu leaky_relu_: tscript.leaky_relu_
Tensor.leaky_relu_ torch.nn.functional.leaky_relu_ elu: torch.nn.functional.elu Tensor.elu elu_: tscript.elu_
Tensor.elu_ torch.nn.functional.elu_ hardtanh: torch.nn.functional.hardtanh Tensor.hardtanh hardtanh_: tscript.hardtanh_
Tensor.hardtanh_ torch.nn.functional.hardtanh_ relu6: torch.nn.functional.relu6 Tensor.relu6 relu6_: tscript.relu6_
Tensor.relu6_ hardsigmoid: torch.nn.functional.hardsigmoid Tensor.hardsigmoid hardsigmoid_: tscript.hardsigmoid_
Tensor.hardsigmoid_ hardswish: torch.nn.functional.hardswish Tensor.hardswish hardswish_: tscript.hardswish_
Tensor.hardswish_ sigmoid: torch.sigmoid Tensor.sigmoid torch.nn.functional.sigmoid torch.special.expit sigmoid_:
torch.sigmoid_ Tensor.sigmoid_ tscript.sigmoid_ silu: torch.nn.functional.silu Tensor.silu silu_: tscript.silu_
Tensor.silu_ softplus: torch.nn.functional.softplus Tensor.softplus softplus_: tscript.softplus_ Tensor.softplus_
log_sigmoid: torch.nn.functional.logsigmoid Tensor.logsigmoid tscript.log_sigmoid Tensor.log_sigmoid log_sigmoid_:
tscript.logsigmoid_ Tensor.logsigmoid_ tscript.log_sigmoid_ Tensor.log_sigmoid_ mish: torch.nn.functional.mish
Tensor.mish mish_: tscript.mish_ Tensor.mish_ gelu_erf: tscript.gelu_erf Tensor.gelu_erf gelu_tanh: tscript.gelu_tanh
Tensor.gelu_tanh gelu: torch.nn.functional.gelu Tensor.gelu glu: torch.nn.functional.glu softmin:
torch.nn.functional.softmin softsign: torch.nn.functional.softsign tanhshrink: torch.nn.functional.tanhshrink threshold:
torch.threshold torch.nn.functional.threshold threshold_: torch.threshold_ hardshrink: torch.nn.functional.hardshrink
torch.hardshrink Tensor.hardshrink softshrink: torch.nn.functional.softshrink celu: torch.celu torch.nn.functional.celu
celu_: torch.celu_ selu: torch.selu torch.nn.functional.selu selu_: torch.selu_ prelu: torch.prelu
torch.nn.functional.prelu Tensor.prelu sum: torch.sum Tensor.sum prod: torch.prod Tensor.prod mean: torch.mean
Tensor.mean amax: torch.amax Tensor.amax argmax: torch.argmax Tensor.argmax amin: torch.amin Tensor.amin argmin:
torch.argmin Tensor.argmin any: torch.any Tensor.any all: torch.all Tensor.all var: torch.var Tensor.var softmax:
torch.softmax Tensor.softmax torch.nn.functional.softmax torch.special.softmax log_softmax: torch.log_softmax
Tensor.log_softmax torch.nn.functional.log_softmax torch.special.log_softmax logsumexp: torch.logsumexp Tensor.logsumexp
torch.special.logsumexp std: torch.std Tensor.std var_mean: torch.var_mean std_mean: torch.std_mean linalg_vector_norm:
torch.linalg.vector_norm norm: torch.norm Tensor.norm dist: torch.dist Tensor.dist pairwise_distance:
torch.pairwise_distance torch.nn.functional.pairwise_distance cosine_similarity: torch.cosine_similarity
torch.nn.functional.cosine_similarity normalize: torch.nn.functional.normalize layer_norm: torch.layer_norm
torch.nn.functional.layer_norm batch_norm: torch.nn.functional.batch_norm rms_norm: torch.rms_norm
torch.nn.functional.rms_norm l1_loss: torch.nn.functional.l1_loss mse_loss: torch.nn.functional.mse_loss smooth_l1_loss:
torch.nn.functional.smooth_l1_loss huber_loss: torch.nn.functional.huber_loss nll_loss: torch.nn.functional.nll_loss
cross_entropy: torch.nn.functional.cross_entropy binary_cross_entropy: torch.nn.functional.binary_cross_entropy
binary_cross_entropy_with_logits: torch.nn.functional.binary_cross_entropy_with_logits
torch.binary_cross_entropy_with_logits kl_div: torch.nn.functional.kl_div multi_margin_loss:
torch.nn.functional.multi_margin_loss linear_cross_entropy: torch.nn.functional.linear_cross_entropy
margin_ranking_loss: torch.nn.functional.margin_ranking_loss hinge_embedding_loss:
torch.nn.functional.hinge_embedding_loss cosine_embedding_loss: torch.nn.functional.cosine_embedding_loss
triplet_margin_loss: torch.nn.functional.triplet_margin_loss triplet_margin_with_distance_loss:
torch.nn.functional.triplet_margin_with_distance_loss poisson_nll_loss: torch.nn.functional.poisson_nll_loss
gaussian_nll_loss: torch.nn.functional.gaussian_nll_loss soft_margin_loss: torch.nn.functional.soft_margin_loss
multilabel_soft_margin_loss: torch.nn.functional.multilabel_soft_margin_loss ctc_loss: torch.nn.functional.ctc_loss
multilabel_margin_loss: torch.nn.functional.multilabel_margin_loss lstm_cell: torch.lstm_cell gru_cell: torch.gru_cell
rnn_tanh_cell: torch.rnn_tanh_cell rnn_relu_cell: torch.rnn_relu_cell lstm: torch.lstm gru: torch.gru rnn_tanh:
torch.rnn_tanh rnn_relu: torch.rnn_relu max_unpool1d: torch.nn.functional.max_unpool1d max_unpool2d:
torch.nn.functional.max_unpool2d max_unpool3d: torch.nn.functional.max_unpool3d bilinear: torch.bilinear
torch.nn.functional.bilinear transpose: torch.transpose Tensor.transpose torch.swapaxes Tensor.swapaxes torch.swapdims
Tensor.swapdims t: torch.t Tensor.t T: Tensor.T mT: Tensor.mT permute: torch.permute Tensor.permute view: tscript.view
Tensor.view view_as: tscript.view_as Tensor.view_as reshape: torch.reshape Tensor.reshape reshape_as: tscript.reshape_as
Tensor.reshape_as flatten: torch.flatten Tensor.flatten ravel: torch.ravel Tensor.ravel unflatten: torch.unflatten
Tensor.unflatten squeeze: torch.squeeze Tensor.squeeze unsqueeze: torch.unsqueeze Tensor.unsqueeze expand:
tscript.expand Tensor.expand expand_as: tscript.expand_as Tensor.expand_as broadcast_to: torch.broadcast_to
Tensor.broadcast_to diagonal: torch.diagonal Tensor.diagonal contiguous: tscript.contiguous Tensor.contiguous detach:
torch.detach Tensor.detach alias: tscript.alias Tensor.alias unbind: torch.unbind Tensor.unbind split: torch.split
Tensor.split split_with_sizes: torch.split_with_sizes Tensor.split_with_sizes chunk: torch.chunk Tensor.chunk
unsafe_chunk: torch.unsafe_chunk Tensor.unsafe_chunk unsafe_split: torch.unsafe_split Tensor.unsafe_split
unsafe_split_with_sizes: torch.unsafe_split_with_sizes Tensor.unsafe_split_with_sizes tensor_split: torch.tensor_split
Tensor.tensor_split hsplit: torch.hsplit Tensor.hsplit vsplit: torch.vsplit Tensor.vsplit dsplit: torch.dsplit
Tensor.dsplit broadcast_tensors: torch.broadcast_tensors meshgrid: torch.meshgrid atleast_1d: torch.atleast_1d
atleast_2d: torch.atleast_2d atleast_3d: torch.atleast_3d flip: torch.flip Tensor.flip fliplr: torch.fliplr
Tensor.fliplr flipud: torch.flipud Tensor.flipud roll: torch.roll Tensor.roll repeat: Tensor.repeat tile: torch.tile
Tensor.tile repeat_interleave: torch.repeat_interleave Tensor.repeat_interleave tril: torch.tril Tensor.tril triu:
torch.triu Tensor.triu movedim: torch.movedim Tensor.movedim torch.moveaxis Tensor.moveaxis hstack: torch.hstack vstack:
torch.vstack torch.row_stack dstack: torch.dstack cross: torch.linalg.cross Tensor.cross torch.cross tensordot:
torch.tensordot einsum: torch.einsum select: torch.select Tensor.select slice: tscript.slice Tensor.slice narrow:
torch.narrow Tensor.narrow index_select: torch.index_select Tensor.index_select gather: torch.gather Tensor.gather
true_positions: tscript.true_positions scatter_write: tscript.scatter_write index_put_: tscript.index_put_
Tensor.index_put_ torch.index_put_ index_put: torch.index_put Tensor.index_put nonzero: torch.nonzero Tensor.nonzero
torch.argwhere Tensor.argwhere count_nonzero: torch.count_nonzero Tensor.count_nonzero masked_select:
torch.masked_select Tensor.masked_select masked_scatter_: tscript.masked_scatter_ Tensor.masked_scatter_ masked_scatter:
torch.masked_scatter Tensor.masked_scatter take: torch.take Tensor.take put_: tscript.put_ Tensor.put_ put: torch.put
Tensor.put take_along_dim: torch.take_along_dim Tensor.take_along_dim scatter_: tscript.scatter_ Tensor.scatter_
scatter: torch.scatter Tensor.scatter scatter_add_: tscript.scatter_add_ Tensor.scatter_add_ scatter_add:
torch.scatter_add Tensor.scatter_add scatter_reduce_: tscript.scatter_reduce_ Tensor.scatter_reduce_ scatter_reduce:
torch.scatter_reduce Tensor.scatter_reduce index_add_: tscript.index_add_ Tensor.index_add_ index_add: torch.index_add
Tensor.index_add index_copy_: tscript.index_copy_ Tensor.index_copy_ index_copy: torch.index_copy Tensor.index_copy
index_fill_: tscript.index_fill_ Tensor.index_fill_ index_fill: torch.index_fill Tensor.index_fill fill_diagonal_:
tscript.fill_diagonal_ Tensor.fill_diagonal_ select_scatter: torch.select_scatter Tensor.select_scatter slice_scatter:
torch.slice_scatter Tensor.slice_scatter diagonal_scatter: torch.diagonal_scatter Tensor.diagonal_scatter one_hot:
torch.nn.functional.one_hot bincount: torch.bincount Tensor.bincount isin: torch.isin tril_indices: torch.tril_indices
triu_indices: torch.triu_indices manual_seed: torch.manual_seed initial_seed: torch.initial_seed rand: torch.rand randn:
torch.randn rand_like: torch.rand_like Tensor.rand_like randn_like: torch.randn_like Tensor.randn_like randint:
torch.randint randint_like: torch.randint_like Tensor.randint_like randperm: torch.randperm bernoulli: torch.bernoulli
Tensor.bernoulli bernoulli_: Tensor.bernoulli_ uniform_: Tensor.uniform_ normal_: Tensor.normal_ normal: torch.normal
Tensor.normal exponential_: Tensor.exponential_ cauchy_: Tensor.cauchy_ log_normal_: Tensor.log_normal_ geometric_:
Tensor.geometric_ random_: Tensor.random_ multinomial: torch.multinomial Tensor.multinomial dropout:
torch.nn.functional.dropout dropout1d: torch.nn.functional.dropout1d dropout2d: torch.nn.functional.dropout2d dropout3d:
torch.nn.functional.dropout3d alpha_dropout: torch.nn.functional.alpha_dropout feature_alpha_dropout:
torch.nn.functional.feature_alpha_dropout gumbel_softmax: torch.nn.functional.gumbel_softmax rrelu:
torch.nn.functional.rrelu torch.rrelu train_dropout: torch.dropout train_dropout_: torch.dropout_ feature_dropout:
torch.feature_dropout train_alpha_dropout: torch.alpha_dropout train_feature_alpha_dropout: torch.feature_alpha_dropout
linalg_det: torch.linalg.det torch.det Tensor.det linalg_slogdet: torch.linalg.slogdet torch.slogdet Tensor.slogdet
logdet: torch.logdet Tensor.logdet linalg_inv: torch.linalg.inv torch.inverse Tensor.inverse linalg_inv_ex:
torch.linalg.inv_ex linalg_solve: torch.linalg.solve linalg_lu_factor: torch.linalg.lu_factor linalg_lu: torch.linalg.lu
linalg_lu_solve: torch.linalg.lu_solve linalg_cholesky: torch.linalg.cholesky cholesky: torch.cholesky Tensor.cholesky
linalg_cholesky_ex: torch.linalg.cholesky_ex cholesky_solve: torch.cholesky_solve Tensor.cholesky_solve
cholesky_inverse: torch.cholesky_inverse Tensor.cholesky_inverse linalg_solve_triangular: torch.linalg.solve_triangular
triangular_solve: torch.triangular_solve Tensor.triangular_solve linalg_qr: torch.linalg.qr qr: torch.qr Tensor.qr
linalg_eigh: torch.linalg.eigh linalg_eigvalsh: torch.linalg.eigvalsh linalg_eig: torch.linalg.eig linalg_eigvals:
torch.linalg.eigvals linalg_svd: torch.linalg.svd svd: torch.svd Tensor.svd linalg_svdvals: torch.linalg.svdvals
linalg_pinv: torch.linalg.pinv pinverse: torch.pinverse Tensor.pinverse linalg_matrix_rank: torch.linalg.matrix_rank
linalg_lstsq: torch.linalg.lstsq linalg_matrix_norm: torch.linalg.matrix_norm linalg_norm: torch.linalg.norm
linalg_vecdot: torch.linalg.vecdot linalg_tensorinv: torch.linalg.tensorinv linalg_tensorsolve: torch.linalg.tensorsolve
linalg_matrix_power: torch.linalg.matrix_power torch.matrix_power Tensor.matrix_power linalg_matrix_exp:
torch.linalg.matrix_exp torch.matrix_exp Tensor.matrix_exp linalg_cond: torch.linalg.cond linalg_lu_factor_ex:
torch.linalg.lu_factor_ex lu: torch.lu Tensor.lu lu_solve: torch.lu_solve Tensor.lu_solve lu_unpack: torch.lu_unpack
linalg_solve_ex: torch.linalg.solve_ex linalg_multi_dot: torch.linalg.multi_dot chain_matmul: torch.chain_matmul
linalg_diagonal: torch.linalg.diagonal linalg_vander: torch.linalg.vander geqrf: torch.geqrf Tensor.geqrf
linalg_householder_product: torch.linalg.householder_product orgqr: torch.orgqr Tensor.orgqr ormqr: torch.ormqr
Tensor.ormqr svd_lowrank: torch.svd_lowrank pca_lowrank: torch.pca_lowrank zeros: torch.zeros ones: torch.ones empty:
torch.empty full: torch.full zeros_like: torch.zeros_like Tensor.zeros_like ones_like: torch.ones_like Tensor.ones_like
empty_like: torch.empty_like Tensor.empty_like full_like: torch.full_like Tensor.full_like new_zeros: tscript.new_zeros
Tensor.new_zeros new_ones: tscript.new_ones Tensor.new_ones new_empty: tscript.new_empty Tensor.new_empty new_full:
tscript.new_full Tensor.new_full arange: torch.arange linspace: torch.linspace eye: torch.eye tensor: torch.tensor cat:
torch.cat torch.concat torch.concatenate stack: torch.stack is_contiguous: tscript.is_contiguous Tensor.is_contiguous
cpu: Tensor.cpu cuda: Tensor.cuda set_requires_grad: Tensor.requires_grad_ detach_itself: torch.detach_ Tensor.detach_
is_inference: torch.is_inference Tensor.is_inference is_pinned: Tensor.is_pinned is_same_size: torch.is_same_size
Tensor.is_same_size is_signed: torch.is_signed Tensor.is_signed is_nonzero: torch.is_nonzero Tensor.is_nonzero
as_tensor: torch.as_tensor asarray: torch.asarray new_tensor: Tensor.new_tensor is_tensor: torch.is_tensor
scalar_tensor: torch.scalar_tensor matmul: torch.matmul Tensor.matmul torch.linalg.matmul mm: torch.mm Tensor.mm mv:
torch.mv Tensor.mv dot: torch.dot Tensor.dot bmm: torch.bmm Tensor.bmm addmv: torch.addmv Tensor.addmv addr: torch.addr
Tensor.addr inner: torch.inner Tensor.inner trace: torch.trace Tensor.trace outer: torch.outer Tensor.outer torch.ger
Tensor.ger linear: torch.nn.functional.linear Tensor.linear addmm: torch.addmm Tensor.addmm baddbmm: torch.baddbmm
Tensor.baddbmm embedding: torch.nn.functional.embedding embedding_renorm_: torch.embedding_renorm_ embedding_bag:
torch.nn.functional.embedding_bag scaled_dot_product_attention: torch.nn.functional.scaled_dot_product_attention
multi_head_attention_forward: torch.nn.functional.multi_head_attention_forward size: Tensor.size stride: Tensor.stride
dim: Tensor.dim Tensor.ndimension numel: torch.numel Tensor.numel Tensor.nelement storage_offset: tscript.storage_offset
Tensor.storage_offset element_size: tscript.element_size Tensor.element_size dtype: Tensor.dtype is_floating_point:
torch.is_floating_point Tensor.is_floating_point is_complex: torch.is_complex Tensor.is_complex item: tscript.item
Tensor.item complex: torch.complex polar: torch.polar view_as_real: torch.view_as_real view_as_complex:
torch.view_as_complex real: torch.real tscript.real imag: torch.imag tscript.imag conj: torch.conj Tensor.conj adjoint:
torch.adjoint Tensor.adjoint Tensor.mH H: Tensor.H vdot: torch.vdot Tensor.vdot resolve_conj: torch.resolve_conj
Tensor.resolve_conj resolve_neg: torch.resolve_neg Tensor.resolve_neg is_conj: torch.is_conj Tensor.is_conj is_neg:
torch.is_neg Tensor.is_neg conj_physical: torch.conj_physical Tensor.conj_physical conj_physical_: torch.conj_physical_
Tensor.conj_physical_ angle: torch.angle Tensor.angle sgn: torch.sgn Tensor.sgn sgn_: torch.sgn_ Tensor.sgn_
promote_types: torch.promote_types can_cast: torch.can_cast get_default_dtype: torch.get_default_dtype finfo:
torch.finfo iinfo: torch.iinfo result_type: torch.result_type fft_fft: torch.fft.fft fft_ifft: torch.fft.ifft fft_rfft:
torch.fft.rfft fft_irfft: torch.fft.irfft fft_hfft: torch.fft.hfft fft_ihfft: torch.fft.ihfft fft_fftfreq:
torch.fft.fftfreq fft_rfftfreq: torch.fft.rfftfreq fft_fftn: torch.fft.fftn fft_ifftn: torch.fft.ifftn fft_rfftn:
torch.fft.rfftn fft_irfftn: torch.fft.irfftn fft_hfftn: torch.fft.hfftn fft_ihfftn: torch.fft.ihfftn fft_fft2:
torch.fft.fft2 fft_ifft2: torch.fft.ifft2 fft_rfft2: torch.fft.rfft2 fft_irfft2: torch.fft.irfft2 fft_hfft2:
torch.fft.hfft2 fft_ihfft2: torch.fft.ihfft2 fft_fftshift: torch.fft.fftshift fft_ifftshift: torch.fft.ifftshift
hann_window: torch.hann_window hamming_window: torch.hamming_window blackman_window: torch.blackman_window
bartlett_window: torch.bartlett_window kaiser_window: torch.kaiser_window stft: torch.stft Tensor.stft istft:
torch.istft Tensor.istft window_bartlett: torch.signal.windows.bartlett window_blackman: torch.signal.windows.blackman
window_cosine: torch.signal.windows.cosine window_exponential: torch.signal.windows.exponential window_gaussian:
torch.signal.windows.gaussian window_general_cosine: torch.signal.windows.general_cosine window_general_hamming:
torch.signal.windows.general_hamming window_hamming: torch.signal.windows.hamming window_hann: torch.signal.windows.hann
window_kaiser: torch.signal.windows.kaiser window_nuttall: torch.signal.windows.nuttall constant_pad_nd:
torch.constant_pad_nd pad: torch.nn.functional.pad conv1d: torch.conv1d torch.nn.functional.conv1d conv_transpose1d:
torch.conv_transpose1d torch.nn.functional.conv_transpose1d conv2d: torch.conv2d torch.nn.functional.conv2d
conv_transpose2d: torch.conv_transpose2d torch.nn.functional.conv_transpose2d conv3d: torch.conv3d
torch.nn.functional.conv3d conv_transpose3d: torch.conv_transpose3d torch.nn.functional.conv_transpose3d convolution:
torch.convolution im2col: torch.nn.functional.unfold col2im: torch.nn.functional.fold max_pool1d:
torch.nn.functional.max_pool1d torch.max_pool1d max_pool1d_with_indices: torch.max_pool1d_with_indices
torch.nn.functional.max_pool1d_with_indices avg_pool1d: torch.nn.functional.avg_pool1d torch.avg_pool1d
adaptive_avg_pool1d: torch.nn.functional.adaptive_avg_pool1d torch.adaptive_avg_pool1d adaptive_max_pool1d:
torch.nn.functional.adaptive_max_pool1d adaptive_max_pool1d_with_indices:
torch.nn.functional.adaptive_max_pool1d_with_indices max_pool2d: torch.nn.functional.max_pool2d torch.max_pool2d
max_pool2d_with_indices: torch.nn.functional.max_pool2d_with_indices avg_pool2d: torch.nn.functional.avg_pool2d
adaptive_avg_pool2d: torch.nn.functional.adaptive_avg_pool2d adaptive_max_pool2d:
torch.nn.functional.adaptive_max_pool2d adaptive_max_pool2d_with_indices:
torch.nn.functional.adaptive_max_pool2d_with_indices max_pool3d: torch.nn.functional.max_pool3d torch.max_pool3d
max_pool3d_with_indices: torch.nn.functional.max_pool3d_with_indices avg_pool3d: torch.nn.functional.avg_pool3d
adaptive_avg_pool3d: torch.nn.functional.adaptive_avg_pool3d adaptive_max_pool3d:
torch.nn.functional.adaptive_max_pool3d adaptive_max_pool3d_with_indices:
torch.nn.functional.adaptive_max_pool3d_with_indices fractional_max_pool2d: torch.nn.functional.fractional_max_pool2d
fractional_max_pool2d_with_indices: torch.nn.functional.fractional_max_pool2d_with_indices fractional_max_pool3d:
torch.nn.functional.fractional_max_pool3d fractional_max_pool3d_with_indices:
torch.nn.functional.fractional_max_pool3d_with_indices interpolate: torch.nn.functional.interpolate
torch.nn.functional.upsample upsample_nearest: torch.nn.functional.upsample_nearest upsample_bilinear:
torch.nn.functional.upsample_bilinear pixel_shuffle: torch.pixel_shuffle torch.nn.functional.pixel_shuffle
pixel_unshuffle: torch.pixel_unshuffle torch.nn.functional.pixel_unshuffle channel_shuffle: torch.channel_shuffle
torch.nn.functional.channel_shuffle torch.native_channel_shuffle torch.nn.functional.native_channel_shuffle group_norm:
torch.group_norm torch.nn.functional.group_norm instance_norm: torch.nn.functional.instance_norm local_response_norm:
torch.nn.functional.local_response_norm lp_pool1d: torch.nn.functional.lp_pool1d lp_pool2d:
torch.nn.functional.lp_pool2d lp_pool3d: torch.nn.functional.lp_pool3d native_layer_norm: torch.native_layer_norm
native_group_norm: torch.native_group_norm native_batch_norm: torch.native_batch_norm grid_sample:
torch.nn.functional.grid_sample grid_sampler: torch.grid_sampler grid_sampler_2d: torch.grid_sampler_2d grid_sampler_3d:
torch.grid_sampler_3d affine_grid: torch.nn.functional.affine_grid sort: torch.sort Tensor.sort argsort: torch.argsort
Tensor.argsort cumsum: torch.cumsum Tensor.cumsum cumsum_: Tensor.cumsum_ cumprod: torch.cumprod Tensor.cumprod
cumprod_: Tensor.cumprod_ logcumsumexp: torch.logcumsumexp Tensor.logcumsumexp cummax: torch.cummax Tensor.cummax
cummin: torch.cummin Tensor.cummin msort: torch.msort Tensor.msort topk: torch.topk Tensor.topk kthvalue: torch.kthvalue
Tensor.kthvalue median: torch.median Tensor.median nanmedian: torch.nanmedian Tensor.nanmedian mode: torch.mode
Tensor.mode unique: torch.unique Tensor.unique unique_consecutive: torch.unique_consecutive Tensor.unique_consecutive
searchsorted: torch.searchsorted bucketize: torch.bucketize erfc: torch.erfc Tensor.erfc torch.special.erfc erfc_:
torch.erfc_ Tensor.erfc_ tscript.erfc_ erfcx: torch.special.erfcx erfinv: torch.erfinv Tensor.erfinv
torch.special.erfinv erfinv_: torch.erfinv_ Tensor.erfinv_ tscript.erfinv_ ndtr: torch.special.ndtr ndtri:
torch.special.ndtri log_ndtr: torch.special.log_ndtr lgamma: torch.lgamma Tensor.lgamma torch.special.gammaln lgamma_:
torch.lgamma_ Tensor.lgamma_ digamma: torch.digamma Tensor.digamma torch.special.digamma torch.special.psi digamma_:
torch.digamma_ Tensor.digamma_ tscript.digamma_ i0: torch.i0 Tensor.i0 torch.special.i0 torch.special.modified_bessel_i0
i0_: torch.i0_ Tensor.i0_ tscript.i0_ i0e: torch.special.i0e i1: torch.special.i1 torch.special.modified_bessel_i1 i1e:
torch.special.i1e xlogy: torch.xlogy Tensor.xlogy torch.special.xlogy xlogy_: tscript.xlogy_ Tensor.xlogy_ xlog1py:
torch.special.xlog1py logaddexp: torch.logaddexp Tensor.logaddexp logaddexp2: torch.logaddexp2 Tensor.logaddexp2 hypot:
torch.hypot Tensor.hypot hypot_: tscript.hypot_ Tensor.hypot_ copysign: torch.copysign Tensor.copysign copysign_:
tscript.copysign_ Tensor.copysign_ fmax: torch.fmax Tensor.fmax fmin: torch.fmin Tensor.fmin heaviside: torch.heaviside
Tensor.heaviside heaviside_: tscript.heaviside_ Tensor.heaviside_ logit: torch.logit Tensor.logit torch.special.logit
sinc: torch.sinc Tensor.sinc torch.special.sinc sinc_: torch.sinc_ Tensor.sinc_ tscript.sinc_ entr: torch.special.entr
nan_to_num: torch.nan_to_num Tensor.nan_to_num deg2rad: torch.deg2rad Tensor.deg2rad rad2deg: torch.rad2deg
Tensor.rad2deg signbit: torch.signbit Tensor.signbit isposinf: torch.isposinf Tensor.isposinf isneginf: torch.isneginf
Tensor.isneginf float_power: torch.float_power Tensor.float_power gcd: torch.gcd Tensor.gcd lcm: torch.lcm Tensor.lcm
zeta: torch.special.zeta polygamma: torch.polygamma torch.special.polygamma polygamma_of: Tensor.polygamma mvlgamma:
torch.mvlgamma Tensor.mvlgamma torch.special.multigammaln bessel_j0: torch.special.bessel_j0 bessel_j1:
torch.special.bessel_j1 bessel_y0: torch.special.bessel_y0 bessel_y1: torch.special.bessel_y1 modified_bessel_k0:
torch.special.modified_bessel_k0 modified_bessel_k1: torch.special.modified_bessel_k1 scaled_modified_bessel_k0:
torch.special.scaled_modified_bessel_k0 scaled_modified_bessel_k1: torch.special.scaled_modified_bessel_k1
spherical_bessel_j0: torch.special.spherical_bessel_j0 airy_ai: torch.special.airy_ai chebyshev_polynomial_t:
torch.special.chebyshev_polynomial_t chebyshev_polynomial_u: torch.special.chebyshev_polynomial_u
chebyshev_polynomial_v: torch.special.chebyshev_polynomial_v chebyshev_polynomial_w:
torch.special.chebyshev_polynomial_w hermite_polynomial_h: torch.special.hermite_polynomial_h hermite_polynomial_he:
torch.special.hermite_polynomial_he laguerre_polynomial_l: torch.special.laguerre_polynomial_l legendre_polynomial_p:
torch.special.legendre_polynomial_p shifted_chebyshev_polynomial_t: torch.special.shifted_chebyshev_polynomial_t
shifted_chebyshev_polynomial_u: torch.special.shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v:
torch.special.shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w:
torch.special.shifted_chebyshev_polynomial_w diff: torch.diff Tensor.diff trapezoid: torch.trapezoid torch.trapz
cumulative_trapezoid: torch.cumulative_trapezoid nansum: torch.nansum Tensor.nansum nanmean: torch.nanmean
Tensor.nanmean aminmax: torch.aminmax Tensor.aminmax quantile: torch.quantile Tensor.quantile nanquantile:
torch.nanquantile Tensor.nanquantile cov: torch.cov Tensor.cov corrcoef: torch.corrcoef Tensor.corrcoef histc:
torch.histc Tensor.histc renorm: torch.renorm Tensor.renorm diag: torch.diag Tensor.diag diagflat: torch.diagflat
Tensor.diagflat diag_embed: torch.diag_embed Tensor.diag_embed block_diag: torch.block_diag equal: torch.equal
Tensor.equal isclose: torch.isclose Tensor.isclose allclose: torch.allclose Tensor.allclose isreal: torch.isreal
Tensor.isreal rot90: torch.rot90 Tensor.rot90 column_stack: torch.column_stack kron: torch.kron Tensor.kron vander:
torch.vander cartesian_prod: torch.cartesian_prod combinations: torch.combinations logspace: torch.logspace as_strided:
torch.as_strided Tensor.as_strided unfold: Tensor.unfold as_strided_scatter: torch.as_strided_scatter
Tensor.as_strided_scatter empty_strided: torch.empty_strided new_empty_strided: Tensor.new_empty_strided empty_permuted:
torch.empty_permuted segment_reduce: torch.segment_reduce torch._segment_reduce _convert_indices_from_coo_to_csr:
torch._convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo: torch._convert_indices_from_csr_to_coo
alias_copy: torch.alias_copy detach_copy: torch.detach_copy as_strided_copy: torch.as_strided_copy diagonal_copy:
torch.diagonal_copy expand_copy: torch.expand_copy permute_copy: torch.permute_copy select_copy: torch.select_copy
slice_copy: torch.slice_copy split_copy: torch.split_copy split_with_sizes_copy: torch.split_with_sizes_copy
squeeze_copy: torch.squeeze_copy t_copy: torch.t_copy transpose_copy: torch.transpose_copy unbind_copy:
torch.unbind_copy unfold_copy: torch.unfold_copy unsqueeze_copy: torch.unsqueeze_copy view_copy: torch.view_copy
view_as_real_copy: torch.view_as_real_copy view_as_complex_copy: torch.view_as_complex_copy unravel_index:
torch.unravel_index index_reduce_: tscript.index_reduce_ Tensor.index_reduce_ index_reduce: torch.index_reduce
Tensor.index_reduce narrow_copy: torch.narrow_copy Tensor.narrow_copy sum_to_size: Tensor.sum_to_size cdist: torch.cdist
pdist: torch.pdist torch.nn.functional.pdist addbmm: torch.addbmm Tensor.addbmm gradient: torch.gradient nextafter:
torch.nextafter Tensor.nextafter nextafter_: tscript.nextafter_ Tensor.nextafter_ frexp: torch.frexp Tensor.frexp ldexp:
torch.ldexp Tensor.ldexp igamma: torch.igamma Tensor.igamma torch.special.gammainc igammac: torch.igammac Tensor.igammac
torch.special.gammaincc tril_: Tensor.tril_ triu_: Tensor.triu_ deg2rad_: torch.deg2rad_ Tensor.deg2rad_ rad2deg_:
torch.rad2deg_ Tensor.rad2deg_ logit_: torch.logit_ Tensor.logit_ nan_to_num_: torch.nan_to_num_ Tensor.nan_to_num_
gcd_: torch.gcd_ Tensor.gcd_ lcm_: torch.lcm_ Tensor.lcm_ ldexp_: torch.ldexp_ Tensor.ldexp_ float_power_:
Tensor.float_power_ mvlgamma_: Tensor.mvlgamma_ polygamma_: Tensor.polygamma_ renorm_: Tensor.renorm_ addmm_:
Tensor.addmm_ addmv_: torch.addmv_ Tensor.addmv_ addr_: Tensor.addr_ baddbmm_: Tensor.baddbmm_ addbmm_: Tensor.addbmm_
igamma_: Tensor.igamma_ igammac_: Tensor.igammac_ resize_: Tensor.resize_ torch.resize_ resize_as_: Tensor.resize_as_
torch.resize_as_ fill: torch.fill nonzero_static: torch.nonzero_static Tensor.nonzero_static broadcast_shapes:
torch.broadcast_shapes masked_sum: torch.masked.sum masked_prod: torch.masked.prod masked_amax: torch.masked.amax
masked_amin: torch.masked.amin masked_mean: torch.masked.mean masked_logsumexp: torch.masked.logsumexp masked_argmax:
torch.masked.argmax masked_argmin: torch.masked.argmin masked_median: torch.masked.median masked_norm: torch.masked.norm
masked_var: torch.masked.var masked_std: torch.masked.std masked_cumsum: torch.masked.cumsum masked_cumprod:
torch.masked.cumprod masked_softmax: torch.masked.softmax masked_log_softmax: torch.masked.log_softmax masked_softmin:
torch.masked.softmin masked_normalize: torch.masked.normalize masked_logaddexp: torch.masked.logaddexp
linalg_ldl_factor: torch.linalg.ldl_factor linalg_ldl_factor_ex: torch.linalg.ldl_factor_ex linalg_ldl_solve:
torch.linalg.ldl_solve torchvision_nms: torch.ops.torchvision.nms torchvision_roi_align: torch.ops.torchvision.roi_align
torchvision_roi_pool: torch.ops.torchvision.roi_pool torchvision_ps_roi_align: torch.ops.torchvision.ps_roi_align
torchvision_ps_roi_pool: torch.ops.torchvision.ps_roi_pool torchvision_deform_conv2d:
torch.ops.torchvision.deform_conv2d torchaudio_lfilter_core_loop: torch.ops.torchaudio._lfilter_core_loop
torchaudio_overdrive_core_loop: torch.ops.torchaudio._overdrive_core_loop histogram: torch.histogram Tensor.histogram
histogramdd: torch.histogramdd hash_tensor: torch.hash_tensor Tensor.hash_tensor
"""
