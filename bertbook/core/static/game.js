document.querySelectorAll('[data-mb="KEY"]:not([data-ready])').forEach(game=>{
game.dataset.ready='yes';
const turns=[...game.querySelectorAll('.mb-turn')],next=game.querySelector('.mb-next');
const say=game.querySelector('.mb-says'),cells=[...game.querySelectorAll('td')];
game.querySelector('details').hidden=true;
let now=0,score=[];
const show=()=>{turns.forEach((t,i)=>{t.hidden=i!==now});next.hidden=true};
const start=()=>{now=0;score=cells.map(()=>0);say.textContent='';
cells.forEach(c=>{c.textContent='0'});
game.querySelectorAll('.mb-turn button').forEach(b=>{b.disabled=false;b.className=''});
next.textContent='Next';show()};
game.addEventListener('click',e=>{
if(e.target===next){if(now+1<turns.length){now++;say.textContent='';show()}else start();
turns[now].querySelector('button').focus();return}
if(!e.target.dataset.k||e.target.disabled)return;
const turn=turns[now],buttons=[...turn.querySelectorAll('button')],right=+turn.dataset.right;
const all=[[+e.target.dataset.k],...JSON.parse(turn.dataset.others)];
buttons.forEach((b,k)=>{b.disabled=true;if(k===right)b.className='mb-yes'});
all.forEach((ks,i)=>{if(ks.includes(right))score[i]+=1/ks.length;
cells[i].textContent=+score[i].toFixed(1)+' of '+(now+1)});
const last=now+1===turns.length;
say.textContent=(all[0][0]===right?'Right. ':'No: '+buttons[right].textContent+'. ')
+turn.dataset.why+(last?' That was the last one. Your score: '+score[0]+' of '+turns.length+'.':'');
next.textContent=last?'Once more':'Next';next.hidden=false;next.focus()});
start()});
